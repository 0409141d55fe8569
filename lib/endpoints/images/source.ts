import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { openPicture } from '@/lib/endpoints/images/image'
import { formatBytes } from '@/lib/kernel/byte-size'
import { FetchRefused, safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import type { InputPicture } from '@/lib/services/engines/engine'
import { base64Bytes, parseDataUrl } from '@/lib/services/media/data-url'
import { MediaError } from '@/lib/services/media/media-error'
import type { MemoryReservation } from '@/lib/services/media/memory-budget'

/** Of an address. */
const MAX_ADDRESS_CHARS = 4_096
const RETRY_AFTER_SECONDS = 5
/** A picture that was opened is in memory as it is, and as the body of a request. Its pixels are another process's. */
const COPIES = 3

export type Path = (string | number)[]
/** A picture as a caller gave it: its bytes, or where they are. */
export type Source = { path: Path } & ({ bytes: Uint8Array } | { url: string })

/**
 * A text field that holds a picture: base64, a data URL, or an address where that is allowed.
 *
 * @throws ApiError INVALID_REQUEST 400, PAYLOAD_TOO_LARGE 413.
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
export function fileSource(bytes: Uint8Array, path: Path): Source {
  if (bytes.byteLength <= MAX_FILE_BYTES) return { path, bytes }
  throw new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The image is larger than ${formatBytes(MAX_FILE_BYTES)}. Send a smaller one.`,
  )
}

/**
 * Fetches and opens a caller's picture.
 *
 * @throws ApiError that names the field: 400, 413, 422, 503.
 */
export async function openSource(source: Source, hand: MemoryReservation, signal: AbortSignal): Promise<InputPicture> {
  try {
    const bytes = 'bytes' in source ? source.bytes : await fetched(source, signal)
    const giveBack = hand.reserve(bytes.byteLength)
    const endTurn = await hand.turn('file', signal)
    try {
      const picture = await openPicture(bytes, signal)
      hand.reserve(picture.bytes.byteLength * COPIES)
      return picture
    } finally {
      endTurn()
      giveBack()
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : inTerms(error, source.path)
  }
}

async function fetched({ url }: { url: string }, signal: AbortSignal): Promise<Uint8Array> {
  // Servers that do not know a type say `application/octet-stream`, or nothing: then the content tells.
  const accepts = (mime: string) => mime === '' || mime.endsWith('/octet-stream') || mime.startsWith('image/')
  const { bytes } = await safeFetch(url, { maxBytes: MAX_FILE_BYTES, maxRedirects: 0, accepts, signal })
  return bytes
}

/** Source: API contract, README 7.3. */
function inTerms(error: unknown, path: Path): unknown {
  if (error instanceof FetchRefused) return invalidField(path, error.message)
  if (!(error instanceof MediaError)) return error
  const { message, reason } = error
  const told = { issues: [{ code: 'custom', path, message }], cause: error }
  if (reason === 'busy' || reason === 'unavailable') return busy(error)
  if (reason === 'corrupt') return new ApiError('CORRUPTED_IMAGE', message, told)
  if (reason === 'too-small') return new ApiError('IMAGE_TOO_SMALL', message, told)
  if (reason === 'too-large' || reason === 'timeout') return new ApiError('IMAGE_TOO_LARGE', message, told)
  return invalidField(path, message)
}

/** What reads and writes pictures has no room at the moment. */
export function busy(error: MediaError): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', error.message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error })
}
