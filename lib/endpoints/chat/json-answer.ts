import { type ChatEvent, EngineError } from '@/lib/services/engines/engine'

const FENCE = '```'
/** The end of a fenced block, as far as it has come. */
const CLOSING = /\s*`{0,3}\s*$/

type State = { phase: 'start' | 'fenced' | 'plain'; held: string; text: string; hasCalls: boolean; isRefusal: boolean }

/**
 * Holds an answer to the JSON that was asked for: a Markdown fence around it is taken away, and an answer that ends by
 * itself and does not parse is a failure. Source: API contract, chat.md 6.
 *
 * @throws EngineError `failed` at the end of such an answer.
 */
export function createJsonCheck(): (event: ChatEvent) => ChatEvent[] {
  const states = new Map<number, State>()

  function stateOf(choice: number): State {
    const state = states.get(choice) ?? { phase: 'start', held: '', text: '', hasCalls: false, isRefusal: false }
    states.set(choice, state)
    return state
  }

  /** What may be said now. */
  function feed(state: State, text: string): string {
    let rest = state.held + text
    state.held = ''
    if (state.phase === 'start') {
      const begin = rest.trimStart()
      const lineEnd = begin.indexOf('\n')
      if (begin.length < FENCE.length ? FENCE.startsWith(begin) : begin.startsWith(FENCE) && lineEnd < 0) {
        state.held = rest
        return ''
      }
      state.phase = begin.startsWith(FENCE) ? 'fenced' : 'plain'
      if (state.phase === 'fenced') rest = begin.slice(lineEnd + 1)
    }
    if (state.phase === 'plain') return rest
    const end = rest.search(CLOSING)
    state.held = rest.slice(end)
    return rest.slice(0, end)
  }

  return (event) => {
    if (event.type === 'tool-call-delta') stateOf(event.choice).hasCalls = true
    if (event.type === 'text-delta') {
      const state = stateOf(event.choice)
      state.isRefusal ||= event.isRefusal === true
      const text = feed(state, event.text)
      state.text += text
      if (text === event.text) return [event]
      return text === '' ? [] : [{ type: 'text-delta', choice: event.choice, text }]
    }
    if (event.type !== 'choice-end') return [event]
    const state = stateOf(event.choice)
    const rest = state.phase === 'fenced' ? '' : state.held
    if (event.reason === 'stop' && !state.hasCalls && !state.isRefusal) assertJson(state.text + rest)
    return rest === '' ? [event] : [{ type: 'text-delta', choice: event.choice, text: rest }, event]
  }
}

function assertJson(text: string): void {
  try {
    JSON.parse(text)
  } catch {
    // The parser's own words quote the answer, which no log may hold.
    throw new EngineError('failed', 'The model did not answer with valid JSON. Try again, or choose another model.')
  }
}
