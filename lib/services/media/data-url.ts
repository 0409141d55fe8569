import { MAX_DATA_URL_CHARS } from '@/lib/contract/limits'

const MAX_HEADER_CHARS = 1_024
// Base64 with escapes or line ends, and text, take the server's thread much longer.
const MAX_ESCAPED_CHARS = 12_000_000

const MIME = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/
// A multiple of four. What is wrong with a text ends its reading within one.
const PIECE_CHARS = 1_048_576
const DETOURS = ['%', '\n', '\r', ' ', '\t', '\f']
const PERCENT = 0x25

export function dataUrlOf({ mime, bytes }: { mime: string; bytes: Uint8Array }): string {
  return `data:${mime};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`
}

/**
 * Parses a data URL (RFC 2397), base64 or percent-encoded text. `mime` is in lower case and without parameters,
 * `text/plain` when none is given. Base64 may lack its padding or be percent-encoded, and blanks in it do not count;
 * any other stray character makes the whole URL unreadable.
 *
 * @example parseDataUrl('data:,Hello%20there') // { mime: 'text/plain', bytes: … } @returns undefined for anything
 *   else.
 */
export function parseDataUrl(url: string): { mime: string; bytes: Uint8Array } | undefined {
  if (url.length > MAX_DATA_URL_CHARS || url.slice(0, 5).toLowerCase() !== 'data:') return undefined
  const comma = url.slice(0, MAX_HEADER_CHARS).indexOf(',')
  if (comma < 0) return undefined
  const [type = '', ...parameters] = url.slice(5, comma).split(';')
  const mime = type.trim().toLowerCase() || 'text/plain'
  if (!MIME.test(mime)) return undefined
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64'
  const data = url.slice(comma + 1)
  if (!isBase64 && data.length > MAX_ESCAPED_CHARS) return undefined
  const bytes = isBase64 ? base64Bytes(data) : percentDecoded(data)
  return bytes && { mime, bytes }
}

/** Decodes base64, in the usual alphabet or in either of its two. @returns undefined for anything else. */
export function base64Bytes(data: string, alphabet: 'usual' | 'either' = 'usual'): Uint8Array | undefined {
  // Escapes and blanks are rare and files are large: a closer look only where there are any.
  if (!DETOURS.some((character) => data.includes(character))) return strictBase64(data, alphabet)
  if (data.length > MAX_ESCAPED_CHARS) return undefined
  return strictBase64(withoutBlanks(percentDecoded(data)).toString('latin1'), alphabet)
}

function strictBase64(text: string, alphabet: 'usual' | 'either'): Uint8Array | undefined {
  let length = text.length
  while (length > text.length - 2 && text[length - 1] === '=') length--
  const isPadded = length < text.length
  if (length % 4 === 1 || (isPadded && text.length % 4 !== 0)) return undefined
  // The URL alphabet, which the decoder would take as well.
  if (alphabet === 'usual' && (text.includes('-') || text.includes('_'))) return undefined
  const bytes = Buffer.allocUnsafe(Math.floor((length * 3) / 4))
  // The decoder passes over what is not base64, slowly, so that each stray character leaves its piece too short.
  for (let at = 0; at < length; at += PIECE_CHARS) {
    const start = (at * 3) / 4
    const end = Math.min(bytes.length, start + (PIECE_CHARS * 3) / 4)
    if (bytes.write(text.slice(at, at + PIECE_CHARS), start, 'base64') !== end - start) return undefined
  }
  return bytes
}

function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  let end = bytes.indexOf(PERCENT)
  if (end < 0) return bytes
  for (let at = end; at < bytes.length; at++) {
    const byte = bytes[at] as number
    const value = byte === PERCENT ? hexDigit(bytes[at + 1]) * 16 + hexDigit(bytes[at + 2]) : Number.NaN
    if (value >= 0) at += 2
    bytes[end++] = value >= 0 ? value : byte
  }
  return bytes.subarray(0, end)
}

function withoutBlanks(bytes: Buffer): Buffer {
  let end = 0
  // By index: an iterator over millions of bytes is felt.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    const isBlank = byte === 0x20 || (byte >= 0x09 && byte <= 0x0d && byte !== 0x0b)
    if (!isBlank) bytes[end++] = byte
  }
  return bytes.subarray(0, end)
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}
