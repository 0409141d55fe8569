import type { ChatEvent, TokenLogprob } from '@/lib/engines/engine'

export type ThinkTags = { open: string; close: string; startsOpen?: boolean }

export const LEGACY_TAGS: ThinkTags = { open: '<think>', close: '</think>' }

type State = {
  isThinking: boolean
  held: string
  isAtStart: boolean
  afterClose: boolean
  /** Of text that is not out yet. */
  logprobs: TokenLogprob[]
}

/**
 * Separates what a model thinks from what it says, where the model writes both into one text with tags. Text that may
 * still become a tag is held back until it is decided, so that no half tag is ever shown; how the text was cut into
 * deltas makes no difference.
 */
export function createThinkSplitter(tags: ThinkTags) {
  const states = new Map<number, State>()

  function stateOf(choice: number): State {
    let state = states.get(choice)
    if (!state) {
      state = { isThinking: tags.startsOpen === true, held: '', isAtStart: true, afterClose: false, logprobs: [] }
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
    while (rest !== '') {
      const tag = state.isThinking ? tags.close : tags.open
      const at = rest.indexOf(tag)
      if (at >= 0) {
        say(events, state, choice, rest.slice(0, at))
        rest = rest.slice(at + tag.length)
        state.afterClose = state.isThinking
        state.isThinking = !state.isThinking
        state.logprobs = rest === '' ? [] : [...logprobs]
        continue
      }
      const keep = partialTag(rest, tag)
      say(events, state, choice, rest.slice(0, rest.length - keep))
      state.held = rest.slice(rest.length - keep)
      break
    }
    // What is thought has none in the reply.
    if (state.isThinking) state.logprobs = []
    return events
  }

  /** Token by token where each has its probability, so that those of tags and thoughts can be left out. */
  function feedTokens(choice: number, text: string, logprobs: TokenLogprob[]): ChatEvent[] {
    const isWhole = logprobs.map(({ token }) => token).join('') === text
    return isWhole ? logprobs.flatMap((one) => feed(choice, one.token, [one])) : feed(choice, text, logprobs)
  }

  /** The end of a choice: what was held back was no tag after all. */
  function flush(choice: number): ChatEvent[] {
    const state = stateOf(choice)
    const events: ChatEvent[] = []
    say(events, state, choice, state.held)
    state.held = ''
    return events
  }

  return (event: ChatEvent): ChatEvent[] => {
    if (event.type === 'text-delta') {
      return event.logprobs ? feedTokens(event.choice, event.text, event.logprobs) : feed(event.choice, event.text)
    }
    if (event.type === 'choice-end') return [...flush(event.choice), event]
    return [event]
  }
}

/** White space around the tags belongs to them: the line breaks that models put there are not part of the answer. */
function say(events: ChatEvent[], state: State, choice: number, text: string): void {
  const said = !state.isThinking && (state.afterClose || state.isAtStart) ? text.trimStart() : text
  if (said === '') {
    // White space that is left out takes its tokens along.
    if (text !== '') state.logprobs = []
    return
  }
  state.isAtStart = false
  if (state.isThinking) {
    events.push({ type: 'reasoning-delta', choice, text: said })
    return
  }
  state.afterClose = false
  const { logprobs } = state
  state.logprobs = []
  events.push({ type: 'text-delta', choice, text: said, ...(logprobs.length > 0 && { logprobs }) })
}

/** How many characters at the end of `text` could be the beginning of `tag`. */
function partialTag(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
