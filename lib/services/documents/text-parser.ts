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

/** Bound on the text of one document, whatever the caller asks for: UTF-16 units. A text of 25 MB has no more. */
const MOST_CHARS = MAX_FILE_BYTES
/** Plain text of which more has to be looked at is read in a process of its own. */
const MOST_BYTES_HERE = 4 * 1024 * 1024
/** Larger ones are refused before they are handed on. Callers have lower bounds of their own. */
const MOST_DOCUMENT_BYTES = 50 * 1024 * 1024
const MOST_PAGE_BYTES = 20 * 1024 * 1024

/**
 * The text of a file: plain text as it is, office documents, books and pages as Markdown, PDFs page by page, pictures
 * and scanned pages by recognition. What the file is shows its content; media type and name decide where that is open.
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
  const maxChars = Math.min(Math.max(Math.floor(options.maxChars), 1), MOST_CHARS)
  const kind = fileKind(file)
  if (kind.type === 'unsupported') throw new ExtractionError('unsupported')
  if (kind.type === 'text') return plainText(file, { ...kind, maxChars, signal })

  if (file.bytes.length > MOST_DOCUMENT_BYTES) throw new ExtractionError('bomb')
  const charset = charsetOf(file.mime)
  const job: ParserJob = {
    type: 'document',
    format: kind.format,
    bytes: file.bytes,
    maxChars,
    ...(charset && { charset }),
  }
  const report = await parserRoom().run(job, signal)
  if (report.type !== 'document') throw new ExtractionError('corrupt')
  return joinParts(report.parts, report.isTruncated, { maxChars, signal })
}

/**
 * The readable part of a web page as Markdown, its title, and the day it was published (`2026-07-18`, or empty). Hidden
 * text, scripts and comments are left out; links are whole.
 *
 * @throws ExtractionError, or the signal's reason.
 */
export async function extractPage(
  html: Uint8Array,
  { url, charset, signal }: { url: string; charset?: string; signal: AbortSignal },
): Promise<ReadablePage> {
  signal.throwIfAborted()
  if (html.length > MOST_PAGE_BYTES) throw new ExtractionError('bomb')
  const report = await parserRoom().run({ type: 'page', bytes: html, url, ...(charset && { charset }) }, signal)
  if (report.type !== 'page') throw new ExtractionError('corrupt')
  return report.page
}

async function plainText(
  file: NamedFile,
  { signal, ...options }: TextOptions & { signal: AbortSignal },
): Promise<{ text: string; isTruncated: boolean }> {
  try {
    if (bytesNeeded(file.bytes, options) <= MOST_BYTES_HERE) return decodeText(file.bytes, options)
    const { charset, isText, maxChars } = options
    const job: ParserJob = { type: 'text', bytes: file.bytes, isText, maxChars, ...(charset && { charset }) }
    const report = await parserRoom().run(job, signal)
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

/** Recognition of one document's pictures stops after this; what has been read by then is the answer. */
const RECOGNITION_MS = 60_000

/** Puts the text of pictures in their place. Without a reader for them pictures say nothing. */
async function readScans(
  parts: DocumentPart[],
  { maxChars, signal }: { maxChars: number; signal: AbortSignal },
): Promise<{ pieces: string[]; isTruncated: boolean }> {
  const deadline = AbortSignal.timeout(RECOGNITION_MS)
  const both = AbortSignal.any([signal, deadline])
  const pieces: string[] = []
  let room = maxChars
  for (const part of parts) {
    if (room <= 0) return { pieces, isTruncated: true }
    const read = 'text' in part ? part.text : await readImage(part.image, both)
    signal.throwIfAborted()
    if (read === undefined && deadline.aborted) return { pieces, isTruncated: true }
    const { text, isTruncated } = cutText(read ?? '', room)
    pieces.push(text)
    room -= text.length
    if (isTruncated) return { pieces, isTruncated }
  }
  return { pieces, isTruncated: false }
}

/** A picture that cannot be read is a picture without text: the rest of the document still counts. */
async function readImage(image: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  const reader = imageReader()
  if (!reader || signal.aborted) return
  try {
    const { text } = await reader.read(image, signal)
    return dropInvisible(text).trim()
  } catch (error) {
    if (!signal.aborted) log().warn({ err: error }, 'a picture of a document could not be read')
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

/** What a document did that gave no answer. The system kills processes for their memory. */
const FAILURES: Record<ChildEnd, ExtractionFailure> = {
  busy: 'busy',
  timeout: 'bomb',
  memory: 'bomb',
  killed: 'bomb',
  crash: 'corrupt',
  ended: 'corrupt',
}

type ParserRoom = ProcessPool<ParserJob, ParserResult, ExtractionFailure>

/** The processes in which documents and pages are read. What fails there is an ExtractionError. */
export function parserRoom(): ParserRoom {
  return perProcess('text-parser-room', () => createParserRoom())
}

/** @param entry another one in tests. */
export function createParserRoom(entry = 'services/documents/parser-worker.ts'): ParserRoom {
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
