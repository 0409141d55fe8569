import type { ChatEvent, TokenLogprob } from '@/lib/services/engines/engine'

type TextDelta = Extract<ChatEvent, { type: 'text-delta' }>
/** A token's log probability, at the place in the held text where the token begins. */
type Placed = { at: number; logprob: TokenLogprob }
type Said = { text: string; logprobs: TokenLogprob[] }
type State = {
  /** Text that may become a mark, with its tokens. */
  held: string
  tokens: Placed[]
  /** A blank that waits: before a mark that is taken out, it goes too. */
  blank: Said
  /** Brackets and half names that wait: with a mark behind them taken out, they could make one with what comes then. */
  stub: Said
  isAfterRemoval: boolean
}

const STUB = /^\[\/?(?:r|re)?$/i
/** The last number of a list, where nothing says that it is whole. */
const CUT_NUMBER = /(?<=\[ref\](?:[\d, ]*\d)?)[, ]*\d+$/i
/** What stands close to the word before it: a blank between them was there for the mark's sake. */
const CLOSE_MARK = /^[\s.,;:!?)\]}…]/

/**
 * Lets an answer cite what is in the list and nothing else: `[REF]n[/REF]` with n below the count goes out in one piece,
 * other spellings are put right, other numbers and loose halves are taken out. Text that may still become a mark is held
 * back; how it was cut into deltas makes no difference.
 *
 * @param count how many sources there are, asked when a mark is read.
 */
export function createCitationFilter(count: () => number): (event: ChatEvent) => ChatEvent[] {
  const states = new Map<number, State>()

  function stateOf(choice: number): State {
    const known = states.get(choice)
    if (known) return known
    const state = { held: '', tokens: [], blank: nothing(), stub: nothing(), isAfterRemoval: false }
    states.set(choice, state)
    return state
  }

  return (event) => {
    if (event.type === 'text-delta') {
      const state = stateOf(event.choice)
      if (isIdle(state) && !event.text.includes('[') && !event.text.endsWith(' ')) return [event]
      hold(state, event)
      return delta(event.choice, release(state, count, false))
    }
    if (event.type !== 'choice-end') return [event]
    const state = stateOf(event.choice)
    // A number that the end of the tokens cut off is not the number that was meant.
    if (event.reason === 'length') state.held = state.held.replace(CUT_NUMBER, '')
    return [...delta(event.choice, finish(state, count)), event]
  }
}

const nothing = (): Said => ({ text: '', logprobs: [] })

function isIdle({ held, tokens, blank, stub, isAfterRemoval }: State): boolean {
  return held === '' && tokens.length === 0 && blank.text === '' && stub.text === '' && !isAfterRemoval
}

/** Adds a delta to what is held. Tokens that do not spell its text all begin where it does. */
function hold(state: State, { text, logprobs = [] }: TextDelta): void {
  const spellsIt = logprobs.reduce((length, { token }) => length + token.length, 0) === text.length
  let at = state.held.length
  for (const logprob of logprobs) {
    state.tokens.push({ at, logprob })
    if (spellsIt) at += logprob.token.length
  }
  state.held += text
}

/** Takes out of what is held all that is decided. */
function release(state: State, count: () => number, isEnd: boolean): Said {
  const out = nothing()
  let at = 0
  while (at < state.held.length) {
    const piece = readPiece(state.held, at, isEnd)
    if (!piece) break
    const text = piece.cites ? marks(piece.cites, count()) : state.held.slice(at, at + piece.length)
    at += piece.length
    say(state, out, text, takeTokens(state, at))
  }
  state.held = state.held.slice(at)
  for (const token of state.tokens) token.at -= at
  return out
}

const marks = (cited: number[], count: number): string =>
  cited
    .filter((index) => index < count)
    .map((index) => `[REF]${index}[/REF]`)
    .join('')

function takeTokens(state: State, before: number): TokenLogprob[] {
  const taken = state.tokens.filter(({ at }) => at < before).map(({ logprob }) => logprob)
  if (taken.length > 0) state.tokens = state.tokens.filter(({ at }) => at >= before)
  return taken
}

/** Nothing to say is a mark that was taken out, and its tokens with it. */
function say(state: State, out: Said, text: string, logprobs: TokenLogprob[]): void {
  if (text === '') {
    state.stub = nothing()
    state.isAfterRemoval = true
    return
  }
  append(state.stub, { text, logprobs })
  if (STUB.test(text)) return
  const said = state.stub
  state.stub = nothing()
  if (!state.isAfterRemoval || !CLOSE_MARK.test(said.text)) append(out, state.blank)
  state.isAfterRemoval = false
  state.blank = nothing()
  if (said.text === ' ') state.blank = said
  else if (said.text.endsWith(' ')) {
    append(out, { ...said, text: said.text.slice(0, -1) })
    state.blank.text = ' '
  } else append(out, said)
}

function finish(state: State, count: () => number): Said {
  const out = release(state, count, true)
  if (!state.isAfterRemoval || state.stub.text !== '') append(out, state.blank)
  append(out, state.stub)
  append(out, { text: '', logprobs: state.tokens.map(({ logprob }) => logprob) })
  state.tokens = []
  state.blank = nothing()
  state.stub = nothing()
  return out
}

function append(out: Said, { text, logprobs }: Said): void {
  out.text += text
  out.logprobs.push(...logprobs)
}

function delta(choice: number, { text, logprobs }: Said): ChatEvent[] {
  if (text === '' && logprobs.length === 0) return []
  return [{ type: 'text-delta', choice, text, ...(logprobs.length > 0 ? { logprobs } : {}) }]
}

/** Characters between `[REF]` and `[/REF]`; a mark that is not closed within them is none. */
const MAX_BODY_CHARS = 40
/** Characters of the short form `[REF 0, 1]` after its name. */
const MAX_SHORT_CHARS = 24

const OPEN = '[ref'
const CLOSE = '[/ref'
const WHOLE_CLOSE = '[/ref]'

/**
 * The next piece of a text: `length` characters of it, and what they are: plain text, or a mark that cites these numbers
 * (none: a mark that means nothing).
 */
type Piece = { length: number; cites?: number[] }

/**
 * Reads the piece at a place. What it says of a character depends on the text up to the end of the piece only, so it
 * makes no difference how much of the text has arrived.
 *
 * @param isEnd nothing comes any more.
 * @returns nothing while more text is needed to tell.
 */
function readPiece(text: string, at: number, isEnd: boolean): Piece | undefined {
  if (text[at] !== '[') {
    const next = text.indexOf('[', at)
    return { length: (next < 0 ? text.length : next) - at }
  }
  const name = text[at + 1] === '/' ? CLOSE : OPEN
  const same = commonLength(text, at, name)
  if (at + same === text.length) return isEnd ? halfMark(same, name) : undefined
  if (same < name.length) return { length: same }
  const after = at + name.length
  if (text[after] === ']') return name === CLOSE ? { length: WHOLE_CLOSE.length, cites: [] } : readBody(text, at, isEnd)
  return name === CLOSE ? looseEnd(text[after]!) : readShort(text, at, isEnd)
}

/** `[/REFORM` is text. Else the half is taken out: with what comes later it might read as a mark. */
function looseEnd(next: string): Piece {
  return /[\p{L}\p{N}_-]/u.test(next) ? { length: CLOSE.length } : { length: CLOSE.length, cites: [] }
}

/** The end of the text within the name of a mark. A bracket alone is text; of more, nothing is shown. */
function halfMark(length: number, name: string): Piece {
  return length < name.indexOf('r') + 1 ? { length } : { length, cites: [] }
}

/** `[REF]0[/REF]` and what models make of it: `[REF] 0, 1 [/REF]`, `[REF]source 0[/REF]`, `[REF]0` without an end. */
function readBody(text: string, at: number, isEnd: boolean): Piece | undefined {
  const from = at + OPEN.length + 1
  for (let end = from; end - from <= MAX_BODY_CHARS; end++) {
    if (end === text.length) return isEnd ? unclosed(text, at, end) : undefined
    if (text[end] === '\n') return unclosed(text, at, end)
    if (text[end] !== '[') continue
    const same = commonLength(text, end, WHOLE_CLOSE)
    if (same === WHOLE_CLOSE.length) return { length: end + same - at, cites: numbersIn(text.slice(from, end)) }
    if (end + same === text.length && !isEnd) return undefined
    return unclosed(text, at, end)
  }
  return unclosed(text, at, from + MAX_BODY_CHARS)
}

/** Without an end, the numbers right behind the beginning are what is cited, and the rest is text. */
function unclosed(text: string, at: number, end: number): Piece {
  const from = at + OPEN.length + 1
  const numbers = /^\s?\d+(?:, ?\d+)*/.exec(text.slice(from, end))?.[0] ?? ''
  return { length: from + numbers.length - at, cites: numbersIn(numbers) }
}

/** `[REF 0]`, `[REF:0, 1]`, `[REF0]`. `[REFUND]` is text; a half before another bracket is taken out, as a loose end is. */
function readShort(text: string, at: number, isEnd: boolean): Piece | undefined {
  const from = at + OPEN.length
  for (let end = from; end - from <= MAX_SHORT_CHARS; end++) {
    const char = text[end]
    if (char === undefined) return isEnd ? { length: end - at, cites: [] } : undefined
    if (char === ']') return { length: end + 1 - at, cites: numbersIn(text.slice(from, end)) }
    if (char === '[') return { length: end - at, cites: [] }
    if (!/[\d ,;:#&]/.test(char)) return { length: end - at }
  }
  return { length: OPEN.length + MAX_SHORT_CHARS }
}

/** The numbers that a mark's inside lists; none where it holds anything else. */
function numbersIn(inside: string): number[] {
  const listed = inside
    .toLowerCase()
    .replace(/\b(?:sources?|refs?|and)\b|[#:&;,\s]+/g, ' ')
    .replace(/(\d) ?[-–] ?(?=\d)/g, '$1 ')
  if (!/^[\d ]*$/.test(listed)) return []
  return [...new Set(listed.split(' ').filter(Boolean).map(Number))]
}

/** How many characters the text at a place has in common with a name, whatever their case. */
function commonLength(text: string, at: number, name: string): number {
  let length = 0
  while (length < name.length && text[at + length]?.toLowerCase() === name[length]) length++
  return length
}
