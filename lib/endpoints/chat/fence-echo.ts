import { fencesIn } from '@/lib/endpoints/chat/fence'
import type { ChatEvent } from '@/lib/services/engines/engine'

/** What may stand between the beginning of a fence and the colon or the line break that ends it. Characters. */
const MAX_TAIL = 48

type State = { held: string; isInHead: boolean; trims: boolean }

/**
 * Takes out of an answer what small models repeat of the marks that stand around files, pictures and pages in a prompt.
 *
 * @returns nothing where the prompt has no such marks.
 */
export function createEchoFilter(prompt: string): ((event: ChatEvent) => ChatEvent[]) | undefined {
  const { heads, lines } = fencesIn(prompt)
  const marks = [...heads, ...lines]
  if (marks.length === 0) return undefined
  const states = new Map<number, State>()

  function stateOf(choice: number): State {
    const state = states.get(choice) ?? { held: '', isInHead: false, trims: false }
    states.set(choice, state)
    return state
  }

  function feed(state: State, text: string): string {
    let rest = state.held + text
    let out = ''
    state.held = ''
    while (rest !== '') {
      if (state.isInHead) {
        const end = rest.search(/[:\n]/)
        if (end < 0 && rest.length < MAX_TAIL) break
        if (end >= 0 && end < MAX_TAIL) rest = rest.slice(end + 1)
        Object.assign(state, { isInHead: false, trims: true })
      }
      if (state.trims) {
        rest = rest.trimStart()
        state.trims = rest === ''
      }
      const [at, mark] = firstOf(marks, rest)
      if (mark === undefined) {
        const keep = partialMark(marks, rest)
        out += rest.slice(0, rest.length - keep)
        rest = rest.slice(rest.length - keep)
        break
      }
      out += rest.slice(0, at)
      rest = rest.slice(at + mark.length)
      if (heads.includes(mark)) state.isInHead = true
      else state.trims = true
    }
    state.held = rest
    return out
  }

  return (event) => {
    if (event.type === 'text-delta') {
      const text = feed(stateOf(event.choice), event.text)
      if (text === event.text) return [event]
      return text === '' ? [] : [{ type: 'text-delta', choice: event.choice, text }]
    }
    if (event.type !== 'choice-end') return [event]
    const state = stateOf(event.choice)
    const text = state.isInHead ? '' : state.held
    return text === '' ? [event] : [{ type: 'text-delta', choice: event.choice, text }, event]
  }
}

function firstOf(marks: string[], text: string): [at: number, mark: string | undefined] {
  let first: [number, string | undefined] = [text.length, undefined]
  for (const mark of marks) {
    const at = text.indexOf(mark)
    if (at >= 0 && at < first[0]) first = [at, mark]
  }
  return first
}

/** How many characters at the end of `text` could be the beginning of a mark. */
function partialMark(marks: string[], text: string): number {
  const most = Math.max(...marks.map(({ length }) => length)) - 1
  for (let length = Math.min(most, text.length); length > 0; length--) {
    const end = text.slice(text.length - length)
    if (marks.some((mark) => mark.startsWith(end))) return length
  }
  return 0
}
