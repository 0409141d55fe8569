import { ArchiveError } from '@/components/history/archive/limits'
import { msg } from '@/lib/i18n/t'

/**
 * A file under a password: AES-GCM in chunks, so that a file of any size is never in memory as a whole. The key comes from
 * PBKDF2-SHA-256. Each chunk is bound to its place and to whether it is the last, so that none can be cut off, left out
 * or moved.
 *
 * Layout: magic (8) · iterations (4) · salt (16) · nonce (8), then chunks: size and last-flag (4) · ciphertext.
 */

/** OWASP's figure for PBKDF2-SHA-256 (2023). */
const ITERATIONS = 600_000
/** A file that asks for more would only hold the page up. */
const MAX_ITERATIONS = 10_000_000
const CHUNK_BYTES = 1024 * 1024
const TAG_BYTES = 16
const LAST = 0x8000_0000
const MAGIC = new TextEncoder().encode('LAGOON\u0001S')
const HEADER_BYTES = MAGIC.length + 4 + 16 + 8

type Bytes = Uint8Array<ArrayBuffer>

export const isSealed = (start: Uint8Array): boolean => MAGIC.every((byte, at) => start[at] === byte)

/** Encrypts a stream of bytes. */
export async function* seal(
  source: AsyncIterable<Uint8Array>,
  password: string,
  iterations = ITERATIONS,
): AsyncGenerator<Bytes> {
  const header = new Uint8Array(HEADER_BYTES)
  header.set(MAGIC)
  new DataView(header.buffer).setUint32(MAGIC.length, iterations)
  crypto.getRandomValues(header.subarray(MAGIC.length + 4))
  const key = await keyOf(password, header)
  yield header
  let at = 0
  let held: Bytes | undefined
  const chunks = inPieces(source, CHUNK_BYTES)
  for await (const chunk of chunks) {
    if (held) yield await sealChunk(key, header, held, at++, false)
    held = chunk
  }
  yield await sealChunk(key, header, held ?? new Uint8Array(), at, true)
}

/**
 * Decrypts what `seal` made.
 *
 * @throws ArchiveError when the password is wrong, or the file was changed or cut.
 */
export async function* unseal(source: AsyncIterable<Uint8Array>, password: string): AsyncGenerator<Bytes> {
  const reader = new ExactReader(source)
  const header = await reader.read(HEADER_BYTES)
  if (!header || !isSealed(header)) throw new ArchiveError('invalid', msg('This is not a password-protected backup.'))
  const iterations = new DataView(header.buffer).getUint32(MAGIC.length)
  if (iterations < 1 || iterations > MAX_ITERATIONS) throw new ArchiveError('invalid', msg('The backup is damaged.'))
  const key = await keyOf(password, header)
  for (let at = 0; ; at += 1) {
    const frame = await reader.read(4)
    if (!frame) throw new ArchiveError('invalid', msg('The backup is incomplete: part of the file is missing.'))
    const word = new DataView(frame.buffer).getUint32(0)
    const isLast = word >= LAST
    const size = isLast ? word - LAST : word
    const body = size <= CHUNK_BYTES + TAG_BYTES ? await reader.read(size) : undefined
    if (!body) throw new ArchiveError('invalid', msg('The backup is damaged.'))
    const plain = await crypto.subtle
      .decrypt({ name: 'AES-GCM', iv: ivOf(header, at), additionalData: aadOf(at, isLast) }, key, body)
      .catch(() => undefined)
    if (!plain) {
      throw at === 0
        ? new ArchiveError('password', msg('Wrong password for this backup. Try again.'))
        : new ArchiveError('invalid', msg('The backup is damaged.'))
    }
    yield new Uint8Array(plain)
    if (isLast) return
  }
}

async function sealChunk(key: CryptoKey, header: Bytes, chunk: Bytes, at: number, isLast: boolean): Promise<Bytes> {
  const cipher = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv: ivOf(header, at), additionalData: aadOf(at, isLast) },
    key,
    chunk,
  )
  const framed = new Uint8Array(4 + cipher.byteLength)
  new DataView(framed.buffer).setUint32(0, cipher.byteLength + (isLast ? LAST : 0))
  framed.set(new Uint8Array(cipher), 4)
  return framed
}

async function keyOf(password: string, header: Bytes): Promise<CryptoKey> {
  const raw = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(password.normalize('NFC')),
    'PBKDF2',
    false,
    ['deriveKey'],
  )
  const iterations = new DataView(header.buffer).getUint32(MAGIC.length)
  const salt = header.slice(MAGIC.length + 4, MAGIC.length + 20)
  return crypto.subtle.deriveKey(
    { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
    raw,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

/** A nonce of the file and the number of the chunk: no two chunks share one under a key. */
function ivOf(header: Bytes, at: number): Bytes {
  const iv = new Uint8Array(12)
  iv.set(header.subarray(HEADER_BYTES - 8))
  new DataView(iv.buffer).setUint32(8, at)
  return iv
}

function aadOf(at: number, isLast: boolean): Bytes {
  const aad = new Uint8Array(5)
  new DataView(aad.buffer).setUint32(0, at)
  aad[4] = isLast ? 1 : 0
  return aad
}

/** The same bytes in pieces of one size; only the last is smaller. */
async function* inPieces(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Bytes> {
  let piece = new Uint8Array(size)
  let filled = 0
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; ) {
      const take = Math.min(size - filled, bytes.length - at)
      piece.set(bytes.subarray(at, at + take), filled)
      filled += take
      at += take
      if (filled === size) {
        yield piece
        piece = new Uint8Array(size)
        filled = 0
      }
    }
  }
  if (filled > 0) yield piece.slice(0, filled)
}

/** Reads as many bytes as asked for, whatever the pieces are that they come in. */
class ExactReader {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** `undefined` when there are fewer. */
  async read(size: number): Promise<Bytes | undefined> {
    const out = new Uint8Array(size)
    let filled = 0
    while (filled < size) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#source.next()
        if (done) return undefined
        this.#rest = value
      }
      const take = Math.min(size - filled, this.#rest.length)
      out.set(this.#rest.subarray(0, take), filled)
      this.#rest = this.#rest.subarray(take)
      filled += take
    }
    return out
  }
}
