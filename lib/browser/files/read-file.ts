import type { DocumentAnswer, DocumentFacts, DocumentQuestion } from '@/lib/browser/files/document.worker'
import type { FileProgress } from '@/lib/browser/files/draft-file-state'
import { type FileKind, HEAD_BYTES, kindOf } from '@/lib/browser/files/kind'
import { FileRefused, MAX_AUDIO_MS, MAX_VIDEO_MS } from '@/lib/browser/files/limits'
import { shrinkImage } from '@/lib/browser/files/shrink-image'
import { openTemporary } from '@/lib/browser/files/stored-draft-files'
import { formatSize } from '@/lib/browser/format/numbers'
import { keepBlob } from '@/lib/browser/storage/blobs'
import { type Attachment, NEW_CHAT } from '@/lib/browser/storage/records'
import { chunksOf } from '@/lib/browser/streams'
import { uuid } from '@/lib/contract/ids'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { msg, t } from '@/lib/i18n/t'

type ReadOptions = {
  chatId?: string
  keepsOriginal?: boolean
  /** Stores the bytes elsewhere than with the chats of this page, and returns their hash. */
  keep?: (blob: Blob) => Promise<string>
}

type ReadFile = { attachment: Attachment; isShrunk: boolean }

/**
 * Reads a chosen file, makes it fit and stores its bytes on this device.
 * @throws FileRefused with the reason when the service would not take it; the signal's reason, at once, when it aborts;
 * DOMException when the file cannot be read or storage is full.
 */
export async function readFile(
  file: File,
  signal: AbortSignal,
  onProgress: (progress: FileProgress) => void = () => undefined,
  options: ReadOptions = {},
): Promise<ReadFile> {
  return await untilAborted(read(file, signal, onProgress, options), signal)
}

async function read(
  file: File,
  signal: AbortSignal,
  onProgress: (progress: FileProgress) => void,
  { chatId = NEW_CHAT, keepsOriginal = false, keep }: ReadOptions,
): Promise<ReadFile> {
  if (file.size === 0) throw new FileRefused(t('This file is empty.'))
  if (file.size > MAX_FILE_BYTES) {
    throw new FileRefused(
      t('This file is {size}. The limit is {most}.', { size: formatSize(file.size), most: formatSize(MAX_FILE_BYTES) }),
    )
  }
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const kind = kindOf(head, file.name, file.type)
  if (!kind) throw new FileRefused(t(UNREADABLE))
  const blob = await fileBytes(file, kind.mediaType, signal, onProgress)
  const made = await MAKERS[kind.kind]({ blob, kind, keepsOriginal, signal, onProgress })
  signal.throwIfAborted()
  onProgress({ step: 'keep', share: 1 })
  await openTemporary(chatId)
  const hash = keep ? await keep(made.blob) : await keepBlob(chatId, made.blob)
  signal.throwIfAborted()
  const { isShrunk = false, ...facts } = made.facts
  return {
    attachment: {
      id: uuid(),
      kind: kind.kind,
      name: file.name || t(NAMELESS[kind.kind]),
      mediaType: made.mediaType,
      size: made.blob.size,
      hash,
      ...facts,
    },
    isShrunk,
  }
}

const UNREADABLE = msg(
  'Unsupported file type. Use an image, audio, video, PDF, EPUB, Word, ODT, RTF, PowerPoint, Excel, text or code file.',
)

const NAMELESS: Record<Attachment['kind'], string> = {
  image: msg('Image'),
  audio: msg('Recording'),
  video: msg('Video'),
  document: msg('Document'),
}

type Making = {
  blob: Blob
  kind: FileKind
  keepsOriginal: boolean
  signal: AbortSignal
  onProgress: (progress: FileProgress) => void
}

type Facts = Pick<Attachment, 'width' | 'height' | 'durationMs' | 'pages' | 'tokens'> & { isShrunk?: boolean }
type Made = { blob: Blob; mediaType: string; facts: Facts }

const MAKERS: Record<Attachment['kind'], (making: Making) => Promise<Made>> = {
  image: async ({ blob, kind, keepsOriginal, onProgress }) => {
    onProgress({ step: 'shrink', share: 0 })
    const { size, isShrunk, ...image } = await shrinkImage(blob, kind.mediaType, keepsOriginal)
    return { ...image, facts: { ...size, isShrunk } }
  },
  audio: async ({ blob, kind, signal, onProgress }) => {
    const { convertAudio, durationOf } = await import('@/lib/browser/files/audio')
    const audio = kind.isForeignAudio
      ? await convertAudio(blob, { signal, onProgress: (share) => onProgress({ step: 'convert', share }) })
      : { blob, mediaType: kind.mediaType }
    const durationMs = await durationOf(audio.blob)
    if (durationMs !== undefined && durationMs > MAX_AUDIO_MS) {
      throw new FileRefused(t('This recording is longer than 30 minutes. Split it into shorter parts.'))
    }
    return { ...audio, facts: { ...(durationMs !== undefined && { durationMs }) } }
  },
  video: async ({ blob, kind, onProgress }) => {
    onProgress({ step: 'look', share: 0 })
    const { lookAtVideo } = await import('@/lib/browser/files/audio')
    const facts = await lookAtVideo(blob)
    if (facts.durationMs !== undefined && facts.durationMs > MAX_VIDEO_MS) {
      throw new FileRefused(t('This video is longer than 10 minutes. Split it into shorter parts.'))
    }
    return { blob, mediaType: kind.mediaType, facts }
  },
  document: async ({ blob, kind, signal, onProgress }) => {
    onProgress({ step: 'look', share: 0 })
    return { blob, mediaType: kind.mediaType, facts: await lookAtDocument(blob, kind.mediaType, signal) }
  },
}

async function fileBytes(
  file: File,
  mediaType: string,
  signal: AbortSignal,
  onProgress: (progress: FileProgress) => void,
): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let count = 0
  for await (const chunk of chunksOf(file.stream())) {
    signal.throwIfAborted()
    chunks.push(chunk)
    count += chunk.byteLength
    // A file may grow while it is read.
    if (count > MAX_FILE_BYTES) {
      throw new FileRefused(t('Files can be up to {most}.', { most: formatSize(MAX_FILE_BYTES) }))
    }
    onProgress({ step: 'read', share: Math.min(1, count / file.size) })
  }
  signal.throwIfAborted()
  return new Blob(chunks, { type: mediaType })
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

const LOOKING_MS = 15_000

/**
 * Inspects a document in a worker, which is ended with the signal or when it takes too long: the file may be made to.
 */
function lookAtDocument(blob: Blob, mediaType: string, signal: AbortSignal): Promise<DocumentFacts> {
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
