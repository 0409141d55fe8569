import type { ChatEvent, TokenLogprob } from '@/lib/services/engines/engine'

export type ThinkTags = { open: string; close: string; startsOpen?: boolean }

export const LEGACY_TAGS: ThinkTags = { open: '<think>', close: '</think>' }

type State = {
  /** Tags count at the start only: a text that mentions one later is text. */
  phase: 'start' | 'thinking' | 'answer'
  held: string
  trims: boolean
  logprobs: TokenLogprob[]
}

/**
 * Separates thoughts in tags at the start of a text from the answer. Text that may still become a tag is held back, so
 * that the split into deltas makes no difference. An engine that reports thoughts itself writes no tags.
 */
export function createThinkSplitter(tags: ThinkTags) {
  const states = new Map<number, State>()

  function stateOf(choice: number): State {
    let state = states.get(choice)
    if (!state) {
      state = { phase: 'start', held: '', trims: true, logprobs: [] }
      states.set(choice, state)
    }
    return state
  }

  function feed(choice: number, text: string, logprobs: TokenLogprob[] = []): ChatEvent[] {
    const state = stateOf(choice)
    const events: ChatEvent[] = []
    state.logprobs.push(...logprobs)
    let rest = state.held + text
    state.held = ''
    const dropTag = (length: number) => {
      rest = rest.slice(length)
      state.logprobs = rest === '' ? [] : [...logprobs]
    }
    if (state.phase === 'start') {
      const begin = rest.trimStart()
      if (begin.length < tags.open.length && tags.open.startsWith(begin)) {
        state.held = rest
        return events
      }
      const hasTag = begin.startsWith(tags.open)
      if (hasTag) dropTag(rest.length - begin.length + tags.open.length)
      state.phase = hasTag || tags.startsOpen ? 'thinking' : 'answer'
    }
    if (state.phase === 'thinking') {
      const at = rest.indexOf(tags.close)
      const end = at < 0 ? rest.length - partialTag(rest, tags.close) : at
      say(events, state, choice, rest.slice(0, end))
      if (at < 0) {
        state.held = rest.slice(end)
        // What is thought has none in the reply.
        state.logprobs = []
        return events
      }
      dropTag(at + tags.close.length)
      state.phase = 'answer'
    }
    say(events, state, choice, rest)
    return events
  }

  /** Feeds token by token where each has its probability, so that those of tags and thoughts can be dropped. */
  function feedTokens(choice: number, text: string, logprobs: TokenLogprob[]): ChatEvent[] {
    const isWhole = logprobs.map(({ token }) => token).join('') === text
    return isWhole ? logprobs.flatMap((one) => feed(choice, one.token, [one])) : feed(choice, text, logprobs)
  }

  function flush(choice: number): ChatEvent[] {
    const state = stateOf(choice)
    const events: ChatEvent[] = []
    if (state.phase === 'start') state.phase = tags.startsOpen ? 'thinking' : 'answer'
    say(events, state, choice, state.held)
    state.held = ''
    return events
  }

  function noteOwnThoughts(choice: number): ChatEvent[] {
    const state = stateOf(choice)
    if (state.phase !== 'start') return []
    state.phase = 'answer'
    return flush(choice)
  }

  return (event: ChatEvent): ChatEvent[] => {
    // A refusal is not the text that tags stand in.
    if (event.type === 'text-delta' && event.isRefusal) return [...noteOwnThoughts(event.choice), event]
    if (event.type === 'text-delta') {
      return event.logprobs ? feedTokens(event.choice, event.text, event.logprobs) : feed(event.choice, event.text)
    }
    if (event.type === 'reasoning-delta' || event.type === 'reasoning-details') {
      return [...noteOwnThoughts(event.choice), event]
    }
    if (event.type === 'choice-end') return [...flush(event.choice), event]
    return [event]
  }
}

/** White space around tags belongs to them. */
function say(events: ChatEvent[], state: State, choice: number, text: string): void {
  const isThought = state.phase === 'thinking'
  const trimmed = !isThought && state.trims ? text.trimStart() : text
  if (trimmed === '') {
    // White space that is left out takes its tokens along.
    if (text !== '') state.logprobs = []
    return
  }
  if (isThought) {
    events.push({ type: 'reasoning-delta', choice, text: trimmed })
    return
  }
  state.trims = false
  const { logprobs } = state
  state.logprobs = []
  events.push({ type: 'text-delta', choice, text: trimmed, ...(logprobs.length > 0 && { logprobs }) })
}

function partialTag(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
