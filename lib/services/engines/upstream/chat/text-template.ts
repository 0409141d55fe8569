import 'server-only'
import { isWireObject } from '@/lib/services/engines/upstream/wire-value'

const MAX_MISSES = 64

const FIELDS = {
  content: /[^\\]"content":\s*"/g,
  reasoning_content: /[^\\]"reasoning_content":\s*"/g,
  reasoning: /[^\\]"reasoning":\s*"/g,
}
export type TextField = keyof typeof FIELDS

const LITERAL = /^[^"\\\p{Cc}]*$/u

/**
 * Reads chunks without a parser once one was parsed: nearly all chunks of a stream are the chunk before with another
 * text. Parsing is two fifths of the cost of an event.
 */
export class TextTemplate {
  field: TextField = 'content'
  #prefix = ''
  #suffix = ''
  #misses = 0

  match(data: string): string | undefined {
    if (!this.#fits(data)) return undefined
    const text = data.slice(this.#prefix.length, data.length - this.#suffix.length)
    return LITERAL.test(text) ? text : undefined
  }

  learn(data: string, value: unknown): void {
    if (this.#misses >= MAX_MISSES) return
    // The template holds; this text alone was not literal, as a line feed never is.
    if (this.#fits(data)) return
    const parsed = onlyText(value)
    const place = parsed && placeOf(data, parsed.field, parsed.text)
    if (parsed === undefined || place === undefined) {
      this.#misses++
      return
    }
    this.field = parsed.field
    this.#prefix = flat(data.slice(0, place.start))
    this.#suffix = flat(data.slice(place.end))
  }

  #fits(data: string): boolean {
    const { length } = this.#prefix
    const end = data.length - this.#suffix.length
    // `startsWith` takes as long as parsing the whole line does when both strings are parts of longer ones.
    return length > 0 && end >= length && data.slice(0, length) === this.#prefix && data.slice(end) === this.#suffix
  }
}

function placeOf(data: string, field: TextField, text: string) {
  const name = FIELDS[field]
  name.lastIndex = 0
  if (name.exec(data) === null) return undefined
  const start = name.lastIndex
  const end = data.indexOf('"', start)
  const isSure = data.slice(start, end) === text && LITERAL.test(text) && name.exec(data) === null
  return isSure ? { start, end } : undefined
}

const flat = (text: string): string => Buffer.from(text).toString()

const QUIET = new Set(['choices', 'id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier', 'provider'])

function onlyText(value: unknown): { field: TextField; text: string } | undefined {
  if (!isWireObject(value) || !Array.isArray(value.choices) || value.choices.length !== 1) return undefined
  const [choice] = value.choices
  if (!isWireObject(choice) || choice.index !== 0 || !isWireObject(choice.delta)) return undefined
  if (choice.finish_reason != null || choice.logprobs != null || choice.usage != null) return undefined
  for (const name in value) if (value[name] !== null && !QUIET.has(name)) return undefined
  let parsed: { field: TextField; text: string } | undefined
  for (const [name, field] of Object.entries(choice.delta)) {
    if (field === null || field === '' || name === 'role') continue
    if (parsed !== undefined || typeof field !== 'string' || !Object.hasOwn(FIELDS, name)) return undefined
    parsed = { field: name as TextField, text: field }
  }
  return parsed
}
