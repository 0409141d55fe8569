import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { formatBytes, MEGABYTE } from '@/lib/kernel/byte-size'
import { safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import { parseDataUrl } from '@/lib/services/media/data-url'

/** Source: API contract, chat.md 2 and 7; a video comes inline within the 35 MB of a body, or from its address. */
const MAX_BYTES = { image: 25 * MEGABYTE, video: 50 * MEGABYTE, file: 25 * MEGABYTE } as const
/** Images and videos are asked for where they are said to be (same source). */
const MAX_REDIRECTS = { image: 0, video: 0, file: 3 } as const
const MAX_ADDRESS_CHARS = 4_096

export type SourceKind = keyof typeof MAX_BYTES
/** The bytes of an attachment, and what was said of them on the way. */
export type Source = { bytes: Uint8Array; mime: string; filename?: string }

/**
 * The bytes behind a data URL or a public address.
 *
 * @throws ApiError INVALID_REQUEST at `path` when it is neither or too large; FetchRefused when it cannot be had.
 */
export async function bytesOf(
  url: string,
  kind: SourceKind,
  path: (string | number)[],
  signal: AbortSignal,
): Promise<Source> {
  if (/^data:/i.test(url)) return inlineBytes(url, kind, path)
  if (!/^https?:\/\//i.test(url) || url.length > MAX_ADDRESS_CHARS) {
    throw invalidField(path, 'must be a data URL (data:TYPE;base64,…) or a public http(s) address')
  }
  const fetched = await safeFetch(url, {
    maxBytes: MAX_BYTES[kind],
    maxRedirects: MAX_REDIRECTS[kind],
    accepts: (mime) => accepts(kind, mime),
    signal,
  })
  return { bytes: fetched.bytes, mime: fetched.mime, filename: lastSegment(fetched.url) }
}

function inlineBytes(url: string, kind: SourceKind, path: (string | number)[]): Source {
  const parsed = parseDataUrl(url)
  if (!parsed) throw invalidField(path, 'is not a valid data URL; write data:TYPE;base64,…')
  if (parsed.bytes.byteLength > MAX_BYTES[kind]) {
    const message = `is larger than ${formatBytes(MAX_BYTES[kind])}`
    throw new ApiError('PAYLOAD_TOO_LARGE', `A ${kind} of a message ${message}. Send a smaller one.`, {
      issues: [{ code: 'too_big', path, message }],
    })
  }
  if (parsed.bytes.byteLength === 0) throw invalidField(path, 'is empty')
  return parsed
}

/** Servers that do not know a type say `application/octet-stream`, or nothing: then the content tells. */
function accepts(kind: SourceKind, mime: string): boolean {
  if (kind === 'file' || mime === '' || mime.endsWith('/octet-stream')) return true
  return mime.startsWith(`${kind}/`) || (kind === 'video' && mime === 'application/mp4')
}

function lastSegment(url: string): string | undefined {
  const segment = new URL(url).pathname.split('/').at(-1)
  if (!segment) return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
