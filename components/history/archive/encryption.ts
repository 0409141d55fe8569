import { ArchiveError } from '@/components/history/archive/limits'
import { chunksOf } from '@/lib/browser/streams'
import { msg } from '@/lib/i18n/t'

// Backups are age files (age-encryption.org/v1) under a passphrase. Files of the format before it (LAGOON\u0001S) are still read.

/**
 * OWASP's figure for scrypt: N = 2^17, 128 MB of memory. The age tool's own 2^18 needs 256 MB, which a phone may not
 * have.
 */
const SCRYPT_LOG_N = 17
/** The header of an age file with a passphrase, with nonce and tag, is longer than this. */
const MIN_AGE_BYTES = 180
/** A longer header belongs to no backup, and would fill the memory. */
const MAX_AGE_HEADER_BYTES = 16 * 1024 ** 2
const AGE_MAGIC = new TextEncoder().encode('age-encryption.org/v1\n')

type Bytes = Uint8Array<ArrayBuffer>

export const isEncrypted = (start: Uint8Array): boolean => startsWith(start, AGE_MAGIC) || startsWith(start, OLD_MAGIC)

const startsWith = (bytes: Uint8Array, magic: Uint8Array): boolean => magic.every((byte, at) => bytes[at] === byte)

export async function* encrypt(source: AsyncIterable<Uint8Array>, password: string): AsyncGenerator<Bytes> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.setPassphrase(password.normalize('NFC'))
  encrypter.setScryptWorkFactor(SCRYPT_LOG_N)
  yield* bytesOf(await encrypter.encrypt(streamOf(source)))
}

/**
 * Decrypts an age file, or a backup of the format before it. @throws ArchiveError when the password is wrong, or the
 * file was changed or cut.
 */
export async function* decrypt(source: AsyncIterable<Uint8Array>, password: string): AsyncGenerator<Bytes> {
  const iterator = source[Symbol.asyncIterator]()
  const { done, value: first } = await iterator.next()
  if (done) throw new ArchiveError('invalid', msg('This is not a password-protected backup.'))
  const whole = { [Symbol.asyncIterator]: () => startingWith(first, iterator) }
  yield* startsWith(first, OLD_MAGIC) ? decryptOld(whole, password) : decryptAge(whole, password)
}

async function* startingWith(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* { [Symbol.asyncIterator]: () => rest }
}

async function* decryptAge(source: AsyncIterable<Uint8Array>, password: string): AsyncGenerator<Bytes> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(password.normalize('NFC'))
  // Asked only after the passphrase did not fit.
  decrypter.addIdentity({
    unwrapFileKey(stanzas) {
      const hasPassphrase = stanzas.some(({ args }) => args[0] === 'scrypt')
      throw hasPassphrase
        ? new ArchiveError('password', msg('Wrong password for this backup. Try again.'))
        : new ArchiveError('invalid', msg('This is not a password-protected backup.'))
    },
  })
  let bytesRead = 0
  let isHeaderRead = false
  let isSourceBroken = false
  async function* counted() {
    try {
      for await (const bytes of source) {
        bytesRead += bytes.length
        if (!isHeaderRead && bytesRead > MAX_AGE_HEADER_BYTES) {
          throw new ArchiveError('invalid', msg('The backup is damaged.'))
        }
        yield bytes
      }
    } catch (error) {
      isSourceBroken = true
      throw error
    }
  }
  try {
    const plain = await decrypter.decrypt(streamOf(counted()))
    isHeaderRead = true
    yield* bytesOf(plain)
  } catch (error) {
    if (isSourceBroken || error instanceof ArchiveError) throw error
    throw bytesRead < MIN_AGE_BYTES
      ? new ArchiveError('invalid', msg('The backup is incomplete: part of the file is missing.'))
      : new ArchiveError('invalid', msg('The backup is damaged or incomplete.'))
  }
}

function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** age makes its bytes in buffers of its own. */
const bytesOf = (stream: ReadableStream<Uint8Array>) => chunksOf(stream as ReadableStream<Bytes>)

// The format before age. AES-GCM in chunks under a key of PBKDF2-SHA-256; each chunk is bound to its place and to whether it
// is the last. Layout: magic (8) · iterations (4) · salt (16) · nonce (8), then chunks: size and last-flag (4) · ciphertext.

const OLD_MAGIC = new TextEncoder().encode('LAGOON\u0001S')
const OLD_HEADER_BYTES = OLD_MAGIC.length + 4 + 16 + 8
/** A file that asks for more would only block the page. */
const MAX_ITERATIONS = 10_000_000
const MAX_CHUNK_BYTES = 1024 * 1024 + 16
const LAST = 0x8000_0000

async function* decryptOld(source: AsyncIterable<Uint8Array>, password: string): AsyncGenerator<Bytes> {
  const reader = new ExactReader(source)
  const header = await reader.read(OLD_HEADER_BYTES)
  if (!header) throw new ArchiveError('invalid', msg('The backup is incomplete: part of the file is missing.'))
  const iterations = new DataView(header.buffer).getUint32(OLD_MAGIC.length)
  if (iterations < 1 || iterations > MAX_ITERATIONS) throw new ArchiveError('invalid', msg('The backup is damaged.'))
  const key = await oldKey(password, header, iterations)
  for (let at = 0; ; at += 1) {
    const frame = await reader.read(4)
    if (!frame) throw new ArchiveError('invalid', msg('The backup is incomplete: part of the file is missing.'))
    const word = new DataView(frame.buffer).getUint32(0)
    const isLast = word >= LAST
    const size = isLast ? word - LAST : word
    const body = size <= MAX_CHUNK_BYTES ? await reader.read(size) : undefined
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

async function oldKey(password: string, header: Bytes, iterations: number): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(password.normalize('NFC'))
  const raw = await crypto.subtle.importKey('raw', bytes, 'PBKDF2', false, ['deriveKey'])
  const salt = header.slice(OLD_MAGIC.length + 4, OLD_MAGIC.length + 20)
  return await crypto.subtle.deriveKey(
    { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
    raw,
    { name: 'AES-GCM', length: 256 },
    false,
    ['decrypt'],
  )
}

function ivOf(header: Bytes, at: number): Bytes {
  const iv = new Uint8Array(12)
  iv.set(header.subarray(OLD_HEADER_BYTES - 8))
  new DataView(iv.buffer).setUint32(8, at)
  return iv
}

function aadOf(at: number, isLast: boolean): Bytes {
  const aad = new Uint8Array(5)
  new DataView(aad.buffer).setUint32(0, at)
  aad[4] = isLast ? 1 : 0
  return aad
}

class ExactReader {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

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
