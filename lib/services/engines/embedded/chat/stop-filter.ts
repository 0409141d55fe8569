export type Filtered = { text: string; isStopped: boolean }

/**
 * Ends a text at the first of several stop strings, wherever tokens cut them: text that might begin one is held back
 * until it is decided.
 */
export class StopFilter {
  readonly #stops: string[]
  #held = ''

  constructor(stops: string[]) {
    // Half of a character is no text: it would cut one in two.
    this.#stops = stops.filter((stop) => stop !== '' && stop.isWellFormed())
  }

  push(text: string): Filtered {
    const pending = this.#held + text
    const end = firstIndexOf(pending, this.#stops)
    if (end >= 0) {
      this.#held = ''
      return { text: pending.slice(0, end), isStopped: true }
    }
    const heldChars = heldLength(pending, this.#stops)
    this.#held = pending.slice(pending.length - heldChars)
    return { text: pending.slice(0, pending.length - heldChars), isStopped: false }
  }

  flush(): string {
    const held = this.#held
    this.#held = ''
    return held
  }
}

function firstIndexOf(text: string, stops: string[]): number {
  const found = stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

function heldLength(text: string, stops: string[]): number {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1))
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (stops.some((stop) => stop.startsWith(end))) return length
  }
  return 0
}
