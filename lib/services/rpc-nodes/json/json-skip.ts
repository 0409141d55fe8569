import 'server-only'

/** The value goes on in the next chunk. */
export const GOES_ON = -1
/** The value is no JSON: a bracket closes what it did not open, or it is nested too deep. */
export const MALFORMED = -2

/** A trace nests two levels a call, and a chain allows 1,024 calls within each other. */
const MAX_DEPTH = 4_096
const START_DEPTH = 32
/** Most strings end within so many bytes; for longer ones a search of the runtime is faster than a loop here. */
const NEAR_BYTES = 24

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Jumps over strings, arrays and objects of JSON that comes in chunks cut anywhere. It keeps where it is, never what stood
 * there, and looks only at what holds a value together: closed strings, and brackets that match by kind.
 */
export class JsonSkip {
  /** The last chunk ended on a backslash that escapes the first byte of the next. */
  #isEscaped = false
  #isInString = false
  /** The brackets that close what is open, outermost first. */
  #closers: Uint8Array | undefined
  #depth = 0

  /** Where the string that holds `at` ends: the index of its closing quote, or `GOES_ON`. */
  closingQuote(bytes: Buffer, at: number): number {
    const { length } = bytes
    if (this.#isEscaped && at < length) {
      this.#isEscaped = false
      at++
    }
    while (at < length) {
      const near = Math.min(at + NEAR_BYTES, length)
      while (at < near) {
        const byte = bytes[at]
        if (byte === QUOTE) return at
        at += byte === BACKSLASH ? 2 : 1
      }
      if (at >= length) break
      const quote = bytes.indexOf(QUOTE, at)
      const stop = quote < 0 ? length : quote
      let slashes = 0
      while (stop - slashes > at && bytes[stop - slashes - 1] === BACKSLASH) slashes++
      const isEven = slashes % 2 === 0
      if (quote >= 0 && isEven) return quote
      at = isEven ? stop : stop + 1
    }
    this.#isEscaped = at > length
    return GOES_ON
  }

  /** Begins an array or object; `value` goes on behind its bracket. */
  open(bracket: number): void {
    this.#closers ??= new Uint8Array(START_DEPTH)
    this.#closers[0] = bracket + 2
    this.#depth = 1
  }

  /** Where the array or object that holds `at` ends: the index behind its last bracket, `GOES_ON` or `MALFORMED`. */
  value(bytes: Buffer, at: number): number {
    const { length } = bytes
    let closers = this.#closers ?? new Uint8Array(START_DEPTH)
    let depth = this.#depth
    if (this.#isInString) {
      at = this.closingQuote(bytes, at)
      if (at === GOES_ON) return GOES_ON
      this.#isInString = false
      at++
    }
    for (; at < length; at++) {
      const byte = bytes[at]
      switch (byte) {
        case QUOTE:
          at = this.closingQuote(bytes, at + 1)
          if (at === GOES_ON) {
            this.#isInString = true
            this.#depth = depth
            return GOES_ON
          }
          break
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          if (depth === closers.length) {
            if (depth === MAX_DEPTH) return MALFORMED
            closers = this.#grow(closers)
          }
          // In ASCII each kind of bracket closes two places behind where it opens.
          closers[depth++] = byte + 2
          break
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          if (closers[--depth] !== byte) return MALFORMED
          if (depth === 0) return at + 1
          break
      }
    }
    this.#depth = depth
    return GOES_ON
  }

  #grow(closers: Uint8Array): Uint8Array {
    const grown = new Uint8Array(closers.length * 2)
    grown.set(closers)
    this.#closers = grown
    return grown
  }
}
