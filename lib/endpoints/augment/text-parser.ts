import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TextParserFields } from '@/lib/contract/augment.schema'
import { ApiError } from '@/lib/contract/errors'
import { documentTokens } from '@/lib/contract/estimates'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { linesOf, quoteCall } from '@/lib/endpoints/augment/call'
import { WHOLE_REPLY_DEADLINE_MS } from '@/lib/kernel/deadlines'
import type { RequestContext } from '@/lib/kernel/request-context'
import { type FormFile, parseWith, readForm } from '@/lib/pipeline/body'
import { busyError } from '@/lib/pipeline/error-response'
import type { Quote } from '@/lib/pipeline/metered'
import type { Reply } from '@/lib/pipeline/reply'
import { ExtractionError, extractText, isImageFile } from '@/lib/services/documents/text-parser'
import type { Meter } from '@/lib/services/ledger/meter'
import { MediaError } from '@/lib/services/media/media-error'
import { withMemoryAndDeadline } from '@/lib/services/media/memory-budget'

export type TextParserRequest = TextParserFields & { file: FormFile }

/** @throws ApiError 415, 413 and 400 as `readForm`; INVALID_REQUEST for a file that is empty or an image. */
export async function parseTextParser(context: RequestContext, request: Request): Promise<TextParserRequest> {
  const { file, fields } = await readForm(context, request, MAX_FILE_BYTES)
  const last = Object.fromEntries([...fields].map(([name, all]) => [name, all.at(-1)]))
  const parsed = parseWith(TextParserFields, last)
  if (file.bytes.length === 0) throw unreadable('The file is empty: it has no bytes.')
  // The chat reads the words of a picture; this endpoint is for documents.
  if (isImageFile(namedFile(file))) throw unreadable(new ExtractionError('unsupported').message)
  return { ...parsed, file }
}

const namedFile = ({ bytes, name, type }: FormFile) => ({ bytes, mime: type, filename: name })

// The message stands by itself, for clients that show it, and beside its field.
const unreadable = (message: string, cause?: unknown): ApiError =>
  new ApiError('INVALID_REQUEST', message, { issues: [{ code: 'custom', path: ['file'], message }], cause })

// No plain text file within the bound has more characters; more is refused, for a cut would not show.
const MAX_TEXT_CHARS = MAX_FILE_BYTES
// As it came, and on its way to the process that reads it.
const FILE_COPIES = 2
// Two bytes a character, as it was read and in the reply.
const BYTES_PER_CHAR = 4
// Written before other requests have their turn: some milliseconds of work.
const SLICE_CHARS = 524_288

export const quoteTextParser = (request: TextParserRequest): Quote<TextParserRequest> =>
  quoteCall('text-parser', request)

/** Extracts the text. The file is not kept, and nothing is charged unless there is text. */
export const runTextParser = (
  { file }: TextParserRequest,
  meter: Meter,
  _context: RequestContext,
  left: AbortSignal,
): Promise<string> =>
  withMemoryAndDeadline(
    { accountId: meter.hold.accountId, left, timeoutError, toCallerError },
    async (memory, signal) => {
      memory.reserve(file.bytes.length * FILE_COPIES)
      const endTurn = await memory.turn('file', signal)
      const read = extractText(namedFile(file), { signal, maxChars: MAX_TEXT_CHARS })
      const { text, isTruncated } = await read.finally(endTurn)
      if (isTruncated) throw unreadable(TOO_MUCH)
      memory.reserve(text.length * BYTES_PER_CHAR)
      meter.readWith(() => ({ lines: linesOf('text-parser') }))
      return text
    },
  )

const TOO_MUCH = 'The document has more text, or more scanned pages, than one call reads. Send it in parts.'

function toCallerError(error: unknown): unknown {
  if (!(error instanceof ExtractionError || error instanceof MediaError)) return error
  if (error.reason !== 'busy') return unreadable(error.message, error)
  return busyError(error)
}

function timeoutError(cause: unknown): ApiError {
  const message = `Reading the file took longer than ${WHOLE_REPLY_DEADLINE_MS / 1_000} s. Send it in parts.`
  return new ApiError('REQUEST_TIMEOUT', message, { cause })
}

export async function renderTextParser(output: Promise<string>, work: TextParserRequest): Promise<Reply> {
  const text = await output
  if (work.response_format === 'text') return { body: text, contentType: 'text/plain; charset=utf-8' }
  const tokens = documentTokens(text.length)
  return { body: `{"text":"${await escaped(text)}","tokens":${tokens}}`, contentType: 'application/json' }
}

async function escaped(text: string): Promise<string> {
  let written = ''
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + SLICE_CHARS, text.length)
    // Both halves of a pair stay together.
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end--
    written += JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
    if (at < text.length) await nextTurn()
  }
  return written
}
