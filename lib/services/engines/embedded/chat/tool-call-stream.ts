/** What of a constrained answer belongs to the call: its name once, then its arguments as they come. */
export type ToolCallPiece = { name?: string; arguments: string }

const HEAD = /^\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"arguments"\s*:\s*(?=\S)/

/**
 * Splits `{"name": …, "arguments": {…}}`, which the grammar makes the model write, while it is written. The object's
 * own closing brace is held back, so that the arguments are JSON by themselves.
 */
export class ToolCallStream {
  #head: string | undefined = ''
  #held = ''

  push(text: string): ToolCallPiece | undefined {
    if (this.#head === undefined) return this.#give(text)
    this.#head += text
    const match = HEAD.exec(this.#head)
    if (!match) return undefined
    const rest = this.#head.slice(match[0].length)
    this.#head = undefined
    const piece = this.#give(rest)
    return { name: JSON.parse(match[1]!) as string, arguments: piece?.arguments ?? '' }
  }

  /** What was held back when the answer ended; without the outer brace if it was whole. */
  flush(isWhole: boolean): ToolCallPiece | undefined {
    const rest = isWhole ? this.#held.replace(/\s*\}\s*$/, '') : this.#held
    this.#held = ''
    return rest === '' ? undefined : { arguments: rest }
  }

  #give(text: string): ToolCallPiece | undefined {
    const pending = this.#held + text
    const kept = /[\s}]*$/.exec(pending)?.[0] ?? ''
    this.#held = kept
    const given = pending.slice(0, pending.length - kept.length)
    return given === '' ? undefined : { arguments: given }
  }
}
