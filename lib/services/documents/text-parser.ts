// biome-ignore-all lint/suspicious/noControlCharactersInRegex: signatures are bytes
import 'server-only'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { type ChildEnd, ProcessPool } from '@/lib/kernel/process-pool/pool'
import { imageReader } from '@/lib/services/engines/registry'
import {
  type DocumentFormat,
  type DocumentPart,
  ExtractionError,
  type ExtractionFailure,
  type ParserJob,
  type ParserResult,
  type ReadablePage,
} from './parser-protocol'
import { bytesNeeded, cutText, decodeText, dropInvisible, type TextOptions } from './text'

export { ExtractionError, type ReadablePage }

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

type NamedFile = { bytes: Uint8Array; mime?: string; filename?: string }

type FileKind =
  | { type: 'parsed'; format: DocumentFormat }
  | { type: 'text'; charset?: string; isText: boolean }
  | { type: 'unsupported' }

// Enough for every signature: a PDF may have this much before its own. Source: ISO 32000-1, annex H.
const HEAD_BYTES = 1024

const MARKUP_TYPES = new Set(['text/html', 'application/xhtml+xml'])
const MARKUP_EXTENSIONS = new Set(['html', 'htm', 'xhtml', 'xht'])
const TEXT_TYPES =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh|csv))$/
const TEXT_EXTENSIONS = new Set(
  `txt text md markdown mdx rst adoc tex csv tsv json jsonl ndjson xml yaml yml toml ini cfg conf env log srt vtt sql
  js mjs cjs jsx ts tsx py rb php pl lua r jl go rs java kt kts scala swift c h cc cpp cxx hpp cs m mm vb fs hs elm erl
  ex exs clj lisp dart zig nim sh bash zsh fish ps1 bat css scss sass less vue svelte proto graphql tf dockerfile make
  diff patch svg`.split(/\s+/),
)
const PARSED_TYPES =
  /^application\/(?:pdf|x-pdf|rtf|x-rtf|epub\+zip|vnd\.openxmlformats-.+|vnd\.oasis\.opendocument\..+|vnd\.ms-excel.*|msword)$/
const PARSED_EXTENSIONS = new Set('pdf epub docx docm pptx pptm xlsx xlsm xls odt ott rtf'.split(' '))
const GENERIC_TYPES = new Set(['', 'application/octet-stream', 'binary/octet-stream'])

export function fileKind(file: NamedFile): FileKind {
  const head = latin1(file.bytes.subarray(0, HEAD_BYTES))
  const format = signedFormat(head)
  if (format) return { type: 'parsed', format }

  const { mime, charset } = mediaType(file.mime)
  const extension = extensionOf(file.filename)
  if (isMarkup(head, mime, extension)) return { type: 'parsed', format: 'html' }
  const isNamedText = GENERIC_TYPES.has(mime) ? TEXT_EXTENSIONS.has(extension) : TEXT_TYPES.test(mime)
  return { type: 'text', isText: isNamedText, ...(charset && { charset }) }
}

// Tells that a file was sent as a type whose files are never plain text.
function claimsDocument({ mime, filename }: NamedFile): boolean {
  const { mime: type } = mediaType(mime)
  return PARSED_TYPES.test(type) || (GENERIC_TYPES.has(type) && PARSED_EXTENSIONS.has(extensionOf(filename)))
}

/** Tells pictures made of pixels, which belong among the images of a message, from other files. */
export function isImageFile(file: NamedFile): boolean {
  const head = latin1(file.bytes.subarray(0, HEAD_BYTES))
  const format = signedFormat(head)
  if (format) return format === 'image'
  const { mime } = mediaType(file.mime)
  const isClaimed = GENERIC_TYPES.has(mime)
    ? /^(?:png|jpe?g|webp|gif|avif|heic|heif|bmp|tiff?)$/.test(extensionOf(file.filename))
    : mime.startsWith('image/') && mime !== 'image/svg+xml'
  // What only claims to be a picture is one when nothing else can be made of it.
  return isClaimed && !/^\s*</.test(head)
}

const charsetOf = (mime: string | undefined): string | undefined => mediaType(mime).charset

function mediaType(value = ''): { mime: string; charset?: string } {
  const [type = '', ...parameters] = value.slice(0, 256).split(';')
  const charset = parameters.map((part) => /^\s*charset\s*=\s*"?([\w.:-]{1,40})"?\s*$/i.exec(part)?.[1]).find(Boolean)
  return { mime: type.trim().toLowerCase(), ...(charset && { charset }) }
}

function extensionOf(filename = ''): string {
  const base = filename.slice(-256).split(/[/\\]/).at(-1) ?? ''
  return (base.split('.').at(-1) ?? '').toLowerCase().trim()
}

function isMarkup(head: string, mime: string, extension: string): boolean {
  if (MARKUP_TYPES.has(mime)) return true
  if (!GENERIC_TYPES.has(mime)) return false
  if (MARKUP_EXTENSIONS.has(extension)) return true
  return !TEXT_EXTENSIONS.has(extension) && /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)[\s>]/i.test(head)
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

const SIGNATURES: [DocumentFormat, RegExp][] = [
  ['image', /^\x89PNG\r\n\x1a\n/],
  ['image', /^\xff\xd8\xff/],
  ['image', /^RIFF[\s\S]{4}WEBP/],
  ['image', /^GIF8[79]a/],
  ['image', /^(?:II\*\0|MM\0\*)/],
  ['image', /^[\s\S]{4}ftyp(?:avif|avis|heic|heix|hevc|mif1|msf1)/],
  ['image', /^BM[\s\S]{4}\0\0\0\0/],
  ['zip', /^PK(?:\x03\x04|\x05\x06|\x07\x08)/],
  ['ole2', /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/],
  ['rtf', /^(?:\xef\xbb\xbf)?\s*\{\\rtf/],
  ['pdf', /(?:^|[\r\n\0])(?:\xef\xbb\xbf)?[ \t]*%PDF-\d/],
]

function signedFormat(head: string): DocumentFormat | undefined {
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0]
}
