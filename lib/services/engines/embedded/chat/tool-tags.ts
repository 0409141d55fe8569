/**
 * Tool calls that a model makes by itself, in the form of Hermes and Qwen:
 * `<tool_call>{"name": …, "arguments": {…}}</tool_call>` in its text. Runs in the child process.
 */

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'

export type FoundCall = { name: string; arguments: string }
type Filtered = { text: string; calls: FoundCall[] }

/** Tells whether a chat template describes tools and has their calls in tags. */
export const hasToolTags = (template: string): boolean => template.includes(OPEN) && /\btools\b/.test(template)

export const taggedCall = (name: string, args: string): string =>
  `${OPEN}\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n${CLOSE}`

export const taggedResult = (text: string): string => `<tool_response>\n${text}\n</tool_response>`

/**
 * Takes calls out of a text while it is written, wherever tokens cut it. What is no call of a known tool stays text, as
 * it is.
 */
export class ToolTagFilter {
  readonly #names: ReadonlySet<string>
  #held = ''
  #isInside = false
  #isAfterCall = false

  constructor(names: Iterable<string>) {
    this.#names = new Set(names)
  }

  push(piece: string): Filtered {
    const calls: FoundCall[] = []
    let text = ''
    let rest = this.#held + piece
    for (;;) {
      const tag = this.#isInside ? CLOSE : OPEN
      const at = rest.indexOf(tag)
      if (at < 0) break
      const before = rest.slice(0, at)
      rest = rest.slice(at + tag.length)
      const call = this.#isInside ? this.#parse(before) : undefined
      if (call) calls.push(call)
      else text += this.#shown(this.#isInside ? OPEN + before + CLOSE : before)
      this.#isAfterCall ||= call !== undefined
      this.#isInside = !this.#isInside
    }
    const kept = this.#isInside ? rest.length : partialTag(rest)
    this.#held = rest.slice(rest.length - kept)
    return { text: text + this.#shown(rest.slice(0, rest.length - kept)), calls }
  }

  /** A model may end its turn without closing the last call. */
  flush(): Filtered {
    const rest = this.#held
    const wasInside = this.#isInside
    this.#held = ''
    this.#isInside = false
    if (!wasInside) return { text: this.#shown(rest), calls: [] }
    const call = this.#parse(rest)
    return call ? { text: '', calls: [call] } : { text: OPEN + rest, calls: [] }
  }

  /** Line breaks after a call belong to it. */
  #shown(text: string): string {
    const shown = this.#isAfterCall ? text.trimStart() : text
    if (shown !== '') this.#isAfterCall = false
    return shown
  }

  #parse(body: string): FoundCall | undefined {
    try {
      const { name, arguments: args = {} } = JSON.parse(body) as { name?: unknown; arguments?: unknown }
      if (typeof name !== 'string' || !this.#names.has(name)) return undefined
      if (typeof args === 'string') return { name, arguments: JSON.stringify(JSON.parse(args)) }
      return typeof args === 'object' && args !== null ? { name, arguments: JSON.stringify(args) } : undefined
    } catch {
      return undefined
    }
  }
}

function partialTag(text: string): number {
  for (let length = Math.min(OPEN.length - 1, text.length); length > 0; length--) {
    if (OPEN.startsWith(text.slice(text.length - length))) return length
  }
  return 0
}
