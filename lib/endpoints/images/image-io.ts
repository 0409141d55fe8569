import { busyError } from '@/lib/pipeline/error-response'
import { instanceHeader, type Reply } from '@/lib/pipeline/reply'
import 'server-only'
import type { z } from 'zod'
import { ApiError, type ErrorCode, invalidField } from '@/lib/contract/errors'
import type { PictureFormat } from '@/lib/contract/images.schema'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import type { Size } from '@/lib/endpoints/images/sizes'
import { formatBytes } from '@/lib/kernel/byte-size'
import { WHOLE_REPLY_DEADLINE_MS } from '@/lib/kernel/deadlines'
import { perProcess } from '@/lib/kernel/per-process'
import type { RequestContext } from '@/lib/kernel/request-context'
import { FetchRefused, safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import { type FilesForm, json, parseWith, readFilesForm } from '@/lib/pipeline/body'
import { EngineError, type InputImage } from '@/lib/services/engines/engine'
import type { Meter } from '@/lib/services/ledger/meter'
import { base64Bytes, parseDataUrl } from '@/lib/services/media/data-url'
import { createDecoderPool, type DecoderPool } from '@/lib/services/media/decoder-pool'
import { IMAGE_POOL, imageKind } from '@/lib/services/media/image'
import { MediaError } from '@/lib/services/media/media-error'
import type { ImageEditTask, ImageFile } from '@/lib/services/media/media-tasks'
import { type MemoryReservation, withMemoryAndDeadline } from '@/lib/services/media/memory-budget'
import { sniffImage } from '@/lib/services/media/sniff'

type Shape<Body extends z.ZodType, Fields extends z.ZodType> = {
  body: Body
  fields: Fields
  part: string
  maxFiles: number
  /** A field may stand for the file. */
  isFileOptional?: boolean
}

export type Either<Body extends z.ZodType, Fields extends z.ZodType> =
  | { body: z.output<Body> }
  | { fields: z.output<Fields>; files: Source[] }

/** Reads a body that is JSON or a form, by its content type. @throws ApiError 415 when it is neither, 413, 400. */
export function jsonOrForm<Body extends z.ZodType, Fields extends z.ZodType>(shape: Shape<Body, Fields>) {
  const readJson = json(shape.body)
  return async (context: RequestContext, request: Request): Promise<Either<Body, Fields>> => {
    const isForm = /^multipart\/form-data/i.test(context.headers.get('content-type') ?? '')
    if (!isForm) return { body: await readJson(context, request) }
    const { part, maxFiles, isFileOptional: isOptional } = shape
    const form = await readFilesForm(context, request, { part, maxFiles, maxFileBytes: MAX_FILE_BYTES, isOptional })
    const fields = fieldsOf(form, shape.fields)
    const path = (index: number) => (maxFiles === 1 ? [part] : [part, index])
    return { fields, files: form.files.map(({ bytes }, index) => fileSource(bytes, path(index))) }
  }
}

// The last of a repeated field counts; an empty one is absent.
function fieldsOf<Fields extends z.ZodType>({ fields }: FilesForm, schema: Fields): z.output<Fields> {
  const last = [...fields].map(([name, values]) => [name, values.at(-1)] as const).filter(([, value]) => value !== '')
  return parseWith(schema, Object.fromEntries(last))
}

const MAX_ADDRESS_CHARS = 4_096
// An opened image is in memory as it is, and as the body of a request. Its pixels are in another process.
const SOURCE_COPIES = 3

type Path = (string | number)[]
/** An image as a caller gave it: its bytes, or their address. */
export type Source = { path: Path } & ({ bytes: Uint8Array } | { url: string })

/**
 * Reads a field that holds an image: base64, a data URL, or an address where that is allowed. @throws ApiError
 * INVALID_REQUEST 400, PAYLOAD_TOO_LARGE 413.
 */
export function sourceOf(text: string, path: Path, { takesAddress }: { takesAddress: boolean }): Source {
  if (/^https?:\/\//i.test(text)) {
    if (!takesAddress) throw invalidField(path, 'must be the image itself in base64; addresses are not possible here')
    if (text.length > MAX_ADDRESS_CHARS) throw invalidField(path, 'is an address that is too long')
    return { path, url: text }
  }
  const bytes = /^data:/i.test(text) ? parseDataUrl(text)?.bytes : base64Bytes(text, 'either')
  if (!bytes?.byteLength) {
    const others = takesAddress ? ', a data URL or an http(s) address' : ' or a data URL'
    throw invalidField(path, `must be an image in base64${others}`)
  }
  return fileSource(bytes, path)
}

/** @throws ApiError PAYLOAD_TOO_LARGE 413. */
function fileSource(bytes: Uint8Array, path: Path): Source {
  if (bytes.byteLength <= MAX_FILE_BYTES) return { path, bytes }
  throw new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The image is larger than ${formatBytes(MAX_FILE_BYTES)}. Send a smaller one.`,
  )
}

/** Fetches and opens a caller's image. @throws ApiError that names the field: 400, 413, 422, 503. */
export async function openSource(source: Source, memory: MemoryReservation, signal: AbortSignal): Promise<InputImage> {
  try {
    const bytes = 'bytes' in source ? source.bytes : await fetched(source, signal)
    const giveBack = memory.reserve(bytes.byteLength)
    const endTurn = await memory.turn('file', signal)
    try {
      const image = await openImage(bytes, signal)
      memory.reserve(image.bytes.byteLength * SOURCE_COPIES)
      return image
    } finally {
      endTurn()
      giveBack()
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : sourceFault(error, source.path)
  }
}

async function fetched({ url }: { url: string }, signal: AbortSignal): Promise<Uint8Array> {
  // Servers that do not know a type say `application/octet-stream`, or nothing: then the content tells.
  const accepts = (mime: string) => mime === '' || mime.endsWith('/octet-stream') || mime.startsWith('image/')
  const { bytes } = await safeFetch(url, { maxBytes: MAX_FILE_BYTES, maxRedirects: 0, accepts, signal })
  return bytes
}

// Source: API contract, README 7.3.
function sourceFault(error: unknown, path: Path): unknown {
  if (error instanceof FetchRefused) return invalidField(path, error.message)
  if (!(error instanceof MediaError)) return error
  const { message, reason } = error
  const issues = { issues: [{ code: 'custom', path, message }], cause: error }
  if (reason === 'busy' || reason === 'unavailable') return busyError(error)
  if (reason === 'corrupt') return new ApiError('CORRUPTED_IMAGE', message, issues)
  if (reason === 'too-small') return new ApiError('IMAGE_TOO_SMALL', message, issues)
  if (reason === 'too-large' || reason === 'timeout') return new ApiError('IMAGE_TOO_LARGE', message, issues)
  return invalidField(path, message)
}

export type { ImageFile } from '@/lib/services/media/media-tasks'

const CODEC_DEADLINE_MS = 30_000
// An image of 40 megapixels, as pixels and as the file that is made of them, twice over, and Node.
const MAX_RESIDENT_BYTES = 900_000_000

function imagePool(): DecoderPool<ImageEditTask, ImageFile> {
  return perProcess('picture-room', () =>
    createDecoderPool<ImageEditTask, ImageFile>({
      ...IMAGE_POOL,
      entry: 'services/media/image-worker.ts',
      deadlineMs: CODEC_DEADLINE_MS,
      maxResidentBytes: MAX_RESIDENT_BYTES,
    }),
  )
}

/**
 * Prepares a caller's file for an engine: upright, its first frame, without metadata, transparency kept. @throws
 * MediaError `unsupported`, `corrupt`, `too-small` (under 65,536 pixels), `too-large` (over 33,177,600 pixels or 25
 * MB), and those of a DecoderPool.
 */
async function openImage(bytes: Uint8Array, signal: AbortSignal): Promise<InputImage> {
  // `open` answers with one of the two formats that engines take.
  return (await imagePool().run({ do: 'open', kind: imageKind(bytes), bytes }, signal)) as InputImage
}

type WriteOptions = { format: PictureFormat; description?: string; size?: Size }

/**
 * Writes an engine's file in another format. @throws EngineError `failed` when it is no image; MediaError `busy`,
 * `unavailable`, `timeout`.
 */
export async function writeImage(bytes: Uint8Array, options: WriteOptions, signal: AbortSignal): Promise<ImageFile> {
  const kind = sniffImage(bytes)
  const wrong = (cause: unknown) =>
    new EngineError('failed', 'The model returned an unreadable image. Try again.', { cause })
  if (!kind) throw wrong(new Error('no known format'))
  try {
    return await imagePool().run({ do: 'write', kind, bytes, ...options }, signal)
  } catch (error) {
    const isItsFault = error instanceof MediaError && ['corrupt', 'too-large', 'too-small'].includes(error.reason)
    throw isItsFault ? wrong(error) : error
  }
}

export function blackImage(size: Size, format: PictureFormat, signal: AbortSignal): Promise<ImageFile> {
  return imagePool().run({ do: 'black', format, ...size }, signal)
}

type Wording = {
  /** For messages: "The picture". */
  noun: string
  code: Extract<ErrorCode, 'INFERENCE_FAILED' | 'IMAGE_EDIT_ERROR' | 'UPSCALE_FAILED'>
}

/** Runs work on images within the deadline and a memory budget. @throws ApiError of the contract's codes. */
export function withinDeadline<T>(
  meter: Meter,
  left: AbortSignal,
  wording: Wording,
  work: (signal: AbortSignal, memory: MemoryReservation) => Promise<T>,
): Promise<T> {
  const bounds = {
    accountId: meter.hold.accountId,
    left,
    timeoutError: (cause: unknown) => timeoutError(cause, wording),
    toCallerError: (error: unknown) => workFault(error, wording),
  }
  return withMemoryAndDeadline(bounds, (memory, signal) => work(signal, memory))
}

function timeoutError(cause: unknown, { noun }: Wording): ApiError {
  const message = `${noun} was not ready in ${WHOLE_REPLY_DEADLINE_MS / 1000} s. Ask for a smaller one.`
  return new ApiError('REQUEST_TIMEOUT', message, { cause })
}

function workFault(error: unknown, { code }: Wording): unknown {
  if (error instanceof MediaError) {
    if (error.reason === 'busy' || error.reason === 'unavailable') return busyError(error)
    return new ApiError(code, 'The image could not be encoded. Try again, or choose another format.', { cause: error })
  }
  if (error instanceof EngineError && error.reason === 'failed') {
    return new ApiError(code, error.message, { cause: error })
  }
  return error
}

/** How often a new image is in memory: as an engine sends it, and as it goes out. */
export const RESULT_COPIES = 2

/** Renders an image as the body of a reply. Source: API contract, images.md. */
export async function renderPng(output: Promise<ImageFile>): Promise<Reply> {
  const { bytes, mime } = await output
  return { body: new Uint8Array(bytes), contentType: mime, headers: instanceHeader() }
}
