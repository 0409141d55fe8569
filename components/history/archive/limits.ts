import { msg } from '@/lib/i18n/t'
/** Limits of an import. Beyond them a file is refused, not cut: a part would be taken for the whole. */
export const LIMITS = {
  file: 2 * 1024 ** 3,
  /** Bytes that come out of a ZIP, and how many times its size they may be, above a floor. */
  unpacked: 8 * 1024 ** 3,
  ratio: 200,
  ratioFloor: 16 * 1024 ** 2,
  entries: 200_000,
  /** Bytes and nesting of one chat, or one line. */
  item: 64 * 1024 ** 2,
  depth: 200,
  /** Messages in a chat, and characters of one message. */
  messages: 50_000,
  text: 10_000_000,
  files: 100,
  blob: 256 * 1024 ** 2,
} as const

/** A file that cannot be imported. The message is English: a worker has no language. */
export class ArchiveError extends Error {
  override name = 'ArchiveError'
  readonly kind: 'invalid' | 'password' | 'too-large'

  constructor(kind: ArchiveError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** Counts the nesting of JSON while it streams by, before anything is built of it. @throws ArchiveError. */
export class DepthGuard {
  #depth = 0
  #isInString = false
  #isEscaped = false

  see(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isInString) {
        if (byte === 0x5c) this.#isEscaped = true
        else if (byte === 0x22) this.#isInString = false
      } else if (byte === 0x22) this.#isInString = true
      else if (byte === 0x7b || byte === 0x5b) {
        this.#depth += 1
        if (this.#depth > LIMITS.depth)
          throw new ArchiveError('invalid', msg('The file is nested too deeply to be a chat history.'))
      } else if (byte === 0x7d || byte === 0x5d) this.#depth -= 1
    }
  }
}
