import 'server-only'
import { ExtractionError } from './extraction-error'
import { charsetOf, claimsDocument, fileKind, isImageFile, type NamedFile } from './file-kind'
import { parserRoom } from './parser-pool'
import type { DocumentPart, ParserJob, ReadablePage } from './parser-protocol'
import { bytesNeeded, decodeText, type TextOptions } from './plain-text'
import { readScans } from './scans'

export { ExtractionError, isImageFile, type ReadablePage }

/** Bound on the text of one document, whatever the caller asks for: UTF-16 units. A text of 25 MB has no more. */
const MOST_CHARS = 25_000_000
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
