import 'server-only'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { type ChildEnd, ProcessPool } from '@/lib/kernel/process-pool/pool'
import { imageReader } from '@/lib/services/engines/registry'
import { charsetOf, claimsDocument, fileKind, isImageFile, type NamedFile } from './file-kind'
import type { DocumentPart, ParserJob, ParserResult, ReadablePage } from './parser-protocol'
import { ExtractionError, type ExtractionFailure } from './parser-protocol'
import { bytesNeeded, decodeText, type TextOptions } from './plain-text'
import { cutText, dropInvisible } from './text-sink'

export { ExtractionError, isImageFile, type ReadablePage }

/** Bound on the text of one document in UTF-16 units; a text of 25 MB has no more. */
const MAX_CHARS = MAX_FILE_BYTES
const MAX_INLINE_BYTES = 4 * 1024 * 1024
const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024
const MAX_PAGE_BYTES = 20 * 1024 * 1024

/**
 * Reads a file as text: office documents, books and pages as Markdown, PDFs page by page, pictures and scanned pages by
 * recognition. Content decides what the file is; media type and name where content does not tell.
 *
 * @param options.maxChars bound on the text, in UTF-16 units; a longer one is cut at a line or a word.
 * @throws ExtractionError, or the signal's reason.
 */
export async function extractText(
  file: NamedFile,
  options: { signal: AbortSignal; maxChars: number },
): Promise<{ text: string; isTruncated: boolean }> {
  const { signal } = options
  signal.throwIfAborted()
  if (file.bytes.length === 0) throw new ExtractionError('empty')
  const maxChars = Math.min(Math.max(Math.floor(options.maxChars), 1), MAX_CHARS)
  const kind = fileKind(file)
  if (kind.type === 'unsupported') throw new ExtractionError('unsupported')
  if (kind.type === 'text') return plainText(file, { ...kind, maxChars, signal })

  if (file.bytes.length > MAX_DOCUMENT_BYTES) throw new ExtractionError('bomb')
  const charset = charsetOf(file.mime)
  const job: ParserJob = {
    type: 'document',
    format: kind.format,
    bytes: file.bytes,
    maxChars,
    ...(charset && { charset }),
  }
  const report = await parserPool().run(job, signal)
  if (report.type !== 'document') throw new ExtractionError('corrupt')
  return joinParts(report.parts, report.isTruncated, { maxChars, signal })
}

/**
 * Reads a web page as Markdown, with its title and day (`2026-07-18`, or empty), without hidden text.
 *
 * @throws ExtractionError, or the signal's reason.
 */
export async function extractPage(
  html: Uint8Array,
  { url, charset, signal }: { url: string; charset?: string; signal: AbortSignal },
): Promise<ReadablePage> {
  signal.throwIfAborted()
  if (html.length > MAX_PAGE_BYTES) throw new ExtractionError('bomb')
  const report = await parserPool().run({ type: 'page', bytes: html, url, ...(charset && { charset }) }, signal)
  if (report.type !== 'page') throw new ExtractionError('corrupt')
  return report.page
}

async function plainText(
  file: NamedFile,
  { signal, ...options }: TextOptions & { signal: AbortSignal },
): Promise<{ text: string; isTruncated: boolean }> {
  try {
    if (bytesNeeded(file.bytes, options) <= MAX_INLINE_BYTES) return decodeText(file.bytes, options)
    const { charset, isText, maxChars } = options
    const job: ParserJob = { type: 'text', bytes: file.bytes, isText, maxChars, ...(charset && { charset }) }
    const report = await parserPool().run(job, signal)
    if (report.type !== 'document') throw new ExtractionError('corrupt')
    const [text] = report.parts.flatMap((part) => ('text' in part ? [part.text] : []))
    return { text: text ?? '', isTruncated: report.isTruncated }
  } catch (error) {
    const isBroken = error instanceof ExtractionError && error.reason === 'unsupported' && claimsDocument(file)
    throw isBroken ? new ExtractionError('corrupt') : error
  }
}

async function joinParts(
  parts: DocumentPart[],
  isTruncated: boolean,
  options: { maxChars: number; signal: AbortSignal },
): Promise<{ text: string; isTruncated: boolean }> {
  const texts = await readScans(parts, options)
  const joined = texts.pieces.filter((piece) => piece.trim() !== '').join('\n\n')
  if (joined === '') throw new ExtractionError('empty')
  return { text: joined, isTruncated: isTruncated || texts.isTruncated }
}

const RECOGNITION_MS = 60_000

async function readScans(
  parts: DocumentPart[],
  { maxChars, signal }: { maxChars: number; signal: AbortSignal },
): Promise<{ pieces: string[]; isTruncated: boolean }> {
  const deadline = AbortSignal.timeout(RECOGNITION_MS)
  const both = AbortSignal.any([signal, deadline])
  const pieces: string[] = []
  let remaining = maxChars
  for (const part of parts) {
    if (remaining <= 0) return { pieces, isTruncated: true }
    const read = 'text' in part ? part.text : await readImage(part.image, both)
    signal.throwIfAborted()
    if (read === undefined && deadline.aborted) return { pieces, isTruncated: true }
    const { text, isTruncated } = cutText(read ?? '', remaining)
    pieces.push(text)
    remaining -= text.length
    if (isTruncated) return { pieces, isTruncated }
  }
  return { pieces, isTruncated: false }
}

async function readImage(image: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  const reader = imageReader()
  if (!reader || signal.aborted) return
  try {
    const { text } = await reader.read(image, signal)
    return dropInvisible(text).trim()
  } catch (error) {
    if (!signal.aborted) log().warn({ err: error }, 'an image in a document could not be read')
    return
  }
}

const PLACES = 2
const MAX_QUEUED = 32
const DOCUMENT_DEADLINE_MS = 20_000
const PAGE_DEADLINE_MS = 10_000
const MAX_RESIDENT_BYTES = 640 * 1024 * 1024
const MAX_HEAP_BYTES = 256 * 1024 * 1024
const IDLE_MS = 30_000

const FAILURES: Record<ChildEnd, ExtractionFailure> = {
  busy: 'busy',
  timeout: 'bomb',
  memory: 'bomb',
  killed: 'bomb',
  crash: 'corrupt',
  ended: 'corrupt',
}

type ParserPool = ProcessPool<ParserJob, ParserResult, ExtractionFailure>

export function parserPool(): ParserPool {
  return perProcess('text-parser-room', () => createParserPool())
}

export function createParserPool(entry = 'services/documents/parser-worker.ts'): ParserPool {
  return new ProcessPool<ParserJob, ParserResult, ExtractionFailure>({
    name: 'document',
    entry,
    // The picture library is native.
    hasAddons: true,
    places: PLACES,
    maxQueued: MAX_QUEUED,
    deadlineMsOf: ({ type }) => (type === 'page' ? PAGE_DEADLINE_MS : DOCUMENT_DEADLINE_MS),
    maxResidentBytes: MAX_RESIDENT_BYTES,
    maxHeapBytes: MAX_HEAP_BYTES,
    idleMs: IDLE_MS,
    errors: {
      refused: ({ reason, message }) => new ExtractionError(reason, { message }),
      unanswered: (end, cause) => new ExtractionError(FAILURES[end], { cause }),
    },
  })
}
