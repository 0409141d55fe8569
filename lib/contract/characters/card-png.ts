const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const FRAME_BYTES = 12
const MAX_CHUNKS = 20_000
// Length of a keyword, 1 to 79 bytes of Latin-1. Source: PNG, 11.3.3.
const MAX_KEYWORD_BYTES = 79
const MAX_TEXT_BYTES = 2_000_000
// Keywords of card chunks. Version 3 takes precedence, as its format requires.
const KEYWORDS = ['ccv3', 'chara'] as const

type Bytes = Uint8Array<ArrayBuffer>
type Chunk = { type: string; data: Uint8Array }
type Keyword = (typeof KEYWORDS)[number]

export const isPng = (bytes: Uint8Array): boolean => SIGNATURE.every((byte, at) => bytes[at] === byte)

/**
 * Reads the JSON text of the card in a PNG: the text chunk `ccv3`, else `chara`. Verifies checksums. @throws CardError
 * when the file is broken, or its card is missing or too large.
 */
export async function cardInPng(file: Uint8Array): Promise<string> {
  const texts = new Map<Keyword, Chunk>()
  for (const chunk of chunksOf(file)) {
    const keyword = keywordOf(chunk)
    // The first of a kind counts: what was appended later is somebody else's.
    if (keyword && !texts.has(keyword)) texts.set(keyword, chunk)
  }
  const chunk = KEYWORDS.map((keyword) => texts.get(keyword)).find((found) => found !== undefined)
  if (!chunk) throw new CardError('no-card', 'This image contains no character card.')
  return decode(await textOf(chunk))
}

export function withTexts(png: Uint8Array, texts: Partial<Record<Keyword, string>>): Bytes {
  const parts: Uint8Array[] = [SIGNATURE]
  for (const chunk of chunksOf(png)) {
    if (keywordOf(chunk)) continue
    if (chunk.type === 'IEND') {
      for (const [keyword, text] of Object.entries(texts)) {
        parts.push(frame('tEXt', fromLatin1(`${keyword}\0${btoa(toLatin1(new TextEncoder().encode(text)))}`)))
      }
    }
    parts.push(frame(chunk.type, chunk.data))
  }
  return concat(parts)
}

function* chunksOf(file: Uint8Array): Generator<Chunk> {
  if (!isPng(file)) throw new CardError('unsupported', 'This is not a PNG image.')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  let at = SIGNATURE.length
  for (let count = 0; count < MAX_CHUNKS; count++) {
    if (at + FRAME_BYTES > file.length) throw broken('file is incomplete')
    const end = at + FRAME_BYTES + view.getUint32(at)
    if (end > file.length) throw broken('has a chunk that is longer than the file')
    const type = toLatin1(file.subarray(at + 4, at + 8))
    if (count === 0 && type !== 'IHDR') throw broken('has no valid PNG header')
    if (crc32(file.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) {
      throw broken('is damaged: a checksum is wrong')
    }
    yield { type, data: file.subarray(at + 8, end - 4) }
    if (type === 'IEND') return
    at = end
  }
  throw broken('has too many chunks')
}

function frame(type: string, data: Uint8Array): Bytes {
  const chunk = new Uint8Array(FRAME_BYTES + data.length)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, data.length)
  chunk.set(fromLatin1(type), 4)
  chunk.set(data, 8)
  view.setUint32(8 + data.length, crc32(chunk.subarray(4, 8 + data.length)))
  return chunk
}

function keywordOf({ type, data }: Chunk): Keyword | undefined {
  if (type !== 'tEXt' && type !== 'zTXt' && type !== 'iTXt') return undefined
  const end = data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0)
  const keyword = toLatin1(data.subarray(0, Math.max(0, end))).toLowerCase()
  return KEYWORDS.find((name) => name === keyword)
}

async function textOf({ type, data }: Chunk): Promise<Uint8Array> {
  const body = data.subarray(data.indexOf(0) + 1)
  if (type === 'tEXt') return bounded(body)
  if (type === 'zTXt') return inflated(body[0] ?? -1, body.subarray(1))
  // iTXt: whether it is packed, how, then a language and a translated keyword, each with a zero after it.
  const language = body.indexOf(0, 2)
  const translated = body.indexOf(0, language + 1)
  if (language < 0 || translated < 0) throw broken('contains invalid text')
  const text = body.subarray(translated + 1)
  return body[0] === 1 ? inflated(body[1] ?? -1, text) : bounded(text)
}

async function inflated(method: number, packed: Uint8Array): Promise<Uint8Array> {
  if (method !== 0) throw broken('uses a compression method that PNG does not support')
  const parts: Uint8Array[] = []
  let size = 0
  try {
    const stream = new Blob([new Uint8Array(packed)]).stream().pipeThrough(new DecompressionStream('deflate'))
    for await (const part of piecesOf(stream)) {
      size += part.length
      // Leaving the loop stops the unpacking.
      if (size > MAX_TEXT_BYTES) throw tooLarge()
      parts.push(part)
    }
  } catch (cause) {
    if (cause instanceof CardError) throw cause
    throw new CardError('corrupt', 'The image contains text that cannot be unpacked.', { cause })
  }
  return concat(parts)
}

async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function bounded(text: Uint8Array): Uint8Array {
  if (text.length > MAX_TEXT_BYTES) throw tooLarge()
  return text
}

function decode(text: Uint8Array): string {
  const plain = new TextDecoder().decode(text).trim()
  if (plain.startsWith('{')) return plain
  // Tools differ in padding, line ends and alphabet; what is not base64 at all is left out.
  const base64 = plain
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/=.*$/s, '')
    .replace(/[^A-Za-z0-9+/]/g, '')
  const whole = base64.length % 4 === 1 ? base64.slice(0, -1) : base64
  return new TextDecoder().decode(fromLatin1(atob(whole)))
}

function concat(parts: Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

const PIECE_BYTES = 8_192

function toLatin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES))
  }
  return text
}

const fromLatin1 = (text: string): Bytes => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

// CRC table of all bytes. Source: PNG, annex D.
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? 0xedb88320 ^ (remainder >>> 1) : remainder >>> 1
  return remainder
})

function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = REMAINDERS[(sum ^ byte) & 0xff]! ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}

const tooLarge = () => new CardError('too-large', 'The card in this image is larger than 2 MB.')
const broken = (how: string) => new CardError('corrupt', `The image ${how}.`)

/** Unreadable character card. `message` is safe to show and repeats nothing of the file. */
export class CardError extends Error {
  override name = 'CardError'
  readonly reason: 'unsupported' | 'corrupt' | 'no-card' | 'too-large'

  constructor(reason: CardError['reason'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}
