import 'server-only'

/** The longest line that is read. Longer ones are not an answer but an attack or a fault. */
const MAX_LINE_BYTES = 1_048_576

const LINE_FEED = 10

/** A line of the upstream was longer than allowed. */
export class LineTooLongError extends Error {
  override name = 'LineTooLongError'
}

/**
 * Cuts a stream of bytes into text that ends where a line ends. A line feed is never part of another character in
 * UTF-8, so what is decoded is always whole characters, wherever the network cut the bytes.
 */
export class LineCutter {
  #rest: Buffer[] = []
  #restBytes = 0
  readonly #mostBytes: number

  constructor(mostBytes = MAX_LINE_BYTES) {
    this.#mostBytes = mostBytes
  }

  /**
   * The complete lines that these chunks finish, each with its line feed; empty when none is complete yet.
   *
   * @throws LineTooLongError
   */
  push(chunks: Buffer[]): string {
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    if (end === 0) {
      this.#keep(bytes)
      return ''
    }
    let text: string
    if (this.#restBytes === 0) {
      text = bytes.toString('utf8', 0, end)
    } else {
      const firstEnd = bytes.indexOf(LINE_FEED) + 1
      if (this.#restBytes + firstEnd > this.#mostBytes) throw new LineTooLongError('A line is too long')
      this.#rest.push(bytes.subarray(0, end))
      text = Buffer.concat(this.#rest).toString('utf8')
      this.#rest = []
      this.#restBytes = 0
    }
    if (end < bytes.length) this.#keep(bytes.subarray(end))
    return text
  }

  /** What came after the last line feed, once nothing more can come. */
  end(): string {
    const text = Buffer.concat(this.#rest).toString('utf8')
    this.#rest = []
    this.#restBytes = 0
    return text
  }

  #keep(bytes: Buffer): void {
    this.#restBytes += bytes.length
    if (this.#restBytes > this.#mostBytes) throw new LineTooLongError('A line is too long')
    this.#rest.push(bytes)
  }
}
