import type { DocumentAnswer, DocumentFacts, DocumentQuestion } from '@/lib/browser/files/document.worker'

const LOOKING_MS = 15_000

/**
 * Inspects a document in a worker, which is ended with the signal or when it takes too long: the file may be made to.
 */
export function lookAtDocument(blob: Blob, mediaType: string, signal: AbortSignal): Promise<DocumentFacts> {
  // In the worker that reads an export, older browsers have none.
  if (typeof Worker === 'undefined') return Promise.resolve({})
  const worker = new Worker(new URL('./document.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<DocumentFacts>((resolve) => {
    const end = (facts: DocumentFacts) => {
      clearTimeout(timer)
      worker.terminate()
      resolve(facts)
    }
    const timer = setTimeout(() => end({}), LOOKING_MS)
    signal.addEventListener('abort', () => end({}), { once: true })
    worker.addEventListener('message', ({ data }: MessageEvent<Partial<DocumentAnswer> | undefined>) => {
      // The reader of PDFs greets whoever it finds at the other end of a worker.
      if (data?.kind === 'document-facts') end(data.facts ?? {})
    })
    worker.addEventListener('error', () => end({}))
    worker.postMessage({ blob, mediaType } satisfies DocumentQuestion)
  })
}
