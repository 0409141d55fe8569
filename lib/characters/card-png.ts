import 'server-only'
import { Buffer } from 'node:buffer'
import { promisify } from 'node:util'
import { crc32, inflate } from 'node:zlib'
import { CardError } from '@/lib/characters/card-error'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** A chunk is its length, its type, its data and the checksum of the last two. */
const FRAME_BYTES = 12
const MAX_CHUNKS = 20_000
/** A keyword is 1 to 79 bytes of Latin-1 (PNG, 11.3.3). */
const MAX_KEYWORD_BYTES = 79
/** Text of one card, in base64, after it was unpacked. */
const MAX_TEXT_BYTES = 2_000_000
/** Where frontends keep a card: version 3 first, which the format says wins. */
const KEYWORDS = ['ccv3', 'chara'] as const

type Chunk = { type: string; data: Buffer }
type Keyword = (typeof KEYWORDS)[number]

const unpack = promisify(inflate)

export const isPng = (bytes: Uint8Array): boolean => SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length))

/**
 * The JSON text of the character card in a PNG: the chunk `ccv3`, else `chara`, of any of the three kinds of text chunk.
 * Only the chunks before the pixels' end are looked at, and each is checked against its checksum.
 *
 * @throws CardError when the file is broken, holds no card, or one that is too large.
 */
export async function cardInPng(file: Uint8Array): Promise<string> {
  const texts = new Map<Keyword, Chunk>()
  for (const chunk of chunksOf(Buffer.from(file.buffer, file.byteOffset, file.byteLength))) {
    const keyword = keywordOf(chunk)
    // The first of a kind counts: what was appended later is somebody else's.
    if (keyword && !texts.has(keyword)) texts.set(keyword, chunk)
  }
  const chunk = KEYWORDS.map((keyword) => texts.get(keyword)).find((found) => found !== undefined)
  if (!chunk) throw new CardError('no-card', 'This picture holds no character card.')
  return decode(await textOf(chunk))
}

/** A PNG with text chunks put in before its end; those of the same keywords that it had are left out. */
export function withTexts(png: Uint8Array, texts: Partial<Record<Keyword, string>>): Buffer<ArrayBuffer> {
  const parts: Buffer[] = [SIGNATURE]
  for (const chunk of chunksOf(Buffer.from(png.buffer, png.byteOffset, png.byteLength))) {
    if (keywordOf(chunk)) continue
    if (chunk.type === 'IEND') {
      for (const [keyword, text] of Object.entries(texts)) {
        parts.push(frame('tEXt', Buffer.from(`${keyword}\0${Buffer.from(text, 'utf8').toString('base64')}`, 'latin1')))
      }
    }
    parts.push(frame(chunk.type, chunk.data))
  }
  return Buffer.concat(parts)
}

function* chunksOf(file: Buffer): Generator<Chunk> {
  if (!isPng(file)) throw new CardError('unsupported', 'This is no PNG picture.')
  let at = SIGNATURE.length
  for (let count = 0; count < MAX_CHUNKS; count++) {
    if (at + FRAME_BYTES > file.length) throw broken('ends in the middle')
    const length = file.readUInt32BE(at)
    const end = at + FRAME_BYTES + length
    if (end > file.length) throw broken('has a part that is longer than the file')
    const type = file.toString('latin1', at + 4, at + 8)
    if (count === 0 && type !== 'IHDR') throw broken('does not begin as one')
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) {
      throw broken('was damaged: a checksum is wrong')
    }
    yield { type, data: file.subarray(at + 8, end - 4) }
    if (type === 'IEND') return
    at = end
  }
  throw broken('has too many parts')
}

function frame(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(FRAME_BYTES + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  data.copy(chunk, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

function keywordOf({ type, data }: Chunk): Keyword | undefined {
  if (type !== 'tEXt' && type !== 'zTXt' && type !== 'iTXt') return undefined
  const end = data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0)
  const keyword = data.toString('latin1', 0, Math.max(0, end)).toLowerCase()
  return KEYWORDS.find((name) => name === keyword)
}

async function textOf({ type, data }: Chunk): Promise<Buffer> {
  const body = data.subarray(data.indexOf(0) + 1)
  if (type === 'tEXt') return bounded(body)
  if (type === 'zTXt') return inflated(body[0] ?? -1, body.subarray(1))
  // iTXt: whether it is packed, how, then a language and a translated keyword, each with a zero after it.
  const language = body.indexOf(0, 2)
  const translated = body.indexOf(0, language + 1)
  if (language < 0 || translated < 0) throw broken('has a text that is not one')
  const text = body.subarray(translated + 1)
  return body[0] === 1 ? inflated(body[1] ?? -1, text) : bounded(text)
}

async function inflated(method: number, packed: Buffer): Promise<Buffer> {
  if (method !== 0) throw broken('is packed in a way that PNG does not know')
  try {
    return await unpack(packed, { maxOutputLength: MAX_TEXT_BYTES })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new CardError('corrupt', 'The picture has a text that cannot be unpacked.', { cause })
  }
}

function bounded(text: Buffer): Buffer {
  if (text.length > MAX_TEXT_BYTES) throw tooLarge()
  return text
}

/** Cards are base64 in the chunk; some tools write the JSON as it is. */
function decode(text: Buffer): string {
  const plain = text.toString('utf8').trim()
  return plain.startsWith('{') ? plain : Buffer.from(plain, 'base64').toString('utf8')
}

const tooLarge = () => new CardError('too-large', 'The card in this picture is larger than 2 MB.')
const broken = (how: string) => new CardError('corrupt', `The picture ${how}.`)
