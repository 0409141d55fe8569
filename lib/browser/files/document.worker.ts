import { type DocumentFacts, factsOfDocument } from '@/lib/browser/files/document-facts'

export type { DocumentFacts } from '@/lib/browser/files/document-facts'

export type DocumentQuestion = { blob: Blob; mediaType: string }
export type DocumentAnswer = { kind: 'document-facts'; facts: DocumentFacts }

self.addEventListener('message', ({ data: { blob, mediaType } }: MessageEvent<DocumentQuestion>) => {
  void blob
    .arrayBuffer()
    .then((buffer) => factsOfDocument(new Uint8Array(buffer), mediaType))
    // What cannot be read here may be read by the service; only its size is not known.
    .catch((): DocumentFacts => ({}))
    .then((facts) => self.postMessage({ kind: 'document-facts', facts } satisfies DocumentAnswer))
})
