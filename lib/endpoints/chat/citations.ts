import 'server-only'
import type { ChatEvent, EmbeddingEngine, TokenLogprob } from '@/lib/services/engines/engine'
import { embeddingEngine } from '@/lib/services/engines/registry'
import { embedSoon, type Passage, similarity } from '@/lib/services/web/passages'

type TextDelta = Extract<ChatEvent, { type: 'text-delta' }>
type Placed = { at: number; logprob: TokenLogprob }
type HeldText = { text: string; logprobs: TokenLogprob[] }
type State = {
  held: string
  tokens: Placed[]
  blank: HeldText
  stub: HeldText
  isAfterRemoval: boolean
}

const STUB = /^\[\/?(?:r|re)?$/i
const CUT_NUMBER = /(?<=\[ref\](?:[\d, ]*\d)?)[, ]*\d+$/i
const CLOSE_MARK = /^[\s.,;:!?)\]}…]/

/**
 * Lets an answer cite only what is in the list: `[REF]n[/REF]` with n below the count leaves in one piece, other
 * spellings are normalised, other numbers and unmatched halves removed. Text that may still become a mark is held back,
 * so that the split into deltas makes no difference.
 *
 * @param count number of sources, asked when a mark is read.
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

const nothing = (): HeldText => ({ text: '', logprobs: [] })

function isIdle({ held, tokens, blank, stub, isAfterRemoval }: State): boolean {
  return held === '' && tokens.length === 0 && blank.text === '' && stub.text === '' && !isAfterRemoval
}

/** Tokens that do not spell the text of their delta all begin where it does. */
function hold(state: State, { text, logprobs = [] }: TextDelta): void {
  const spellsIt = logprobs.reduce((length, { token }) => length + token.length, 0) === text.length
  let at = state.held.length
  for (const logprob of logprobs) {
    state.tokens.push({ at, logprob })
    if (spellsIt) at += logprob.token.length
  }
  state.held += text
}

function release(state: State, count: () => number, isEnd: boolean): HeldText {
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
  const logprobs = state.tokens.filter(({ at }) => at < before).map(({ logprob }) => logprob)
  if (logprobs.length > 0) state.tokens = state.tokens.filter(({ at }) => at >= before)
  return logprobs
}

function say(state: State, out: HeldText, text: string, logprobs: TokenLogprob[]): void {
  if (text === '') {
    state.stub = nothing()
    state.isAfterRemoval = true
    return
  }
  append(state.stub, { text, logprobs })
  if (STUB.test(text)) return
  const heldText = state.stub
  state.stub = nothing()
  if (!state.isAfterRemoval || !CLOSE_MARK.test(heldText.text)) append(out, state.blank)
  state.isAfterRemoval = false
  state.blank = nothing()
  if (heldText.text === ' ') state.blank = heldText
  else if (heldText.text.endsWith(' ')) {
    append(out, { ...heldText, text: heldText.text.slice(0, -1) })
    state.blank.text = ' '
  } else append(out, heldText)
}

function finish(state: State, count: () => number): HeldText {
  const out = release(state, count, true)
  if (!state.isAfterRemoval || state.stub.text !== '') append(out, state.blank)
  append(out, state.stub)
  append(out, { text: '', logprobs: state.tokens.map(({ logprob }) => logprob) })
  state.tokens = []
  state.blank = nothing()
  state.stub = nothing()
  return out
}

function append(out: HeldText, { text, logprobs }: HeldText): void {
  out.text += text
  out.logprobs.push(...logprobs)
}

function delta(choice: number, { text, logprobs }: HeldText): ChatEvent[] {
  if (text === '' && logprobs.length === 0) return []
  return [{ type: 'text-delta', choice, text, ...(logprobs.length > 0 ? { logprobs } : {}) }]
}

const MAX_BODY_CHARS = 40
const MAX_SHORT_CHARS = 24

const OPEN = '[ref'
const CLOSE = '[/ref'
const WHOLE_CLOSE = '[/ref]'

type Piece = { length: number; cites?: number[] }

/**
 * Reads the piece at a position. The result depends only on text up to the end of the piece, however much has arrived.
 *
 * @param isEnd no more text follows.
 * @returns nothing while more text is needed.
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

function looseEnd(next: string): Piece {
  return /[\p{L}\p{N}_-]/u.test(next) ? { length: CLOSE.length } : { length: CLOSE.length, cites: [] }
}

function halfMark(length: number, name: string): Piece {
  return length < name.indexOf('r') + 1 ? { length } : { length, cites: [] }
}

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

function unclosed(text: string, at: number, end: number): Piece {
  const from = at + OPEN.length + 1
  const numbers = /^\s?\d+(?:, ?\d+)*/.exec(text.slice(from, end))?.[0] ?? ''
  return { length: from + numbers.length - at, cites: numbersIn(numbers) }
}

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

function numbersIn(inside: string): number[] {
  const listed = inside
    .toLowerCase()
    .replace(/\b(?:sources?|refs?|and)\b|[#:&;,\s]+/g, ' ')
    .replace(/(\d) ?[-–] ?(?=\d)/g, '$1 ')
  if (!/^[\d ]*$/.test(listed)) return []
  return [...new Set(listed.split(' ').filter(Boolean).map(Number))]
}

function commonLength(text: string, at: number, name: string): number {
  let length = 0
  while (length < name.length && text[at + length]?.toLowerCase() === name[length]) length++
  return length
}

const ATTRIBUTE_MS = 3_000
const MAX_STATEMENTS = 16
const MAX_SOURCE_TEXTS = 128
const MIN_SENTENCE_CHARS = 24
const MAX_SENTENCE_CHARS = 400
/** Similarity above which a statement follows a source: paraphrases lie above, mere topics below. */
const MIN_SIMILARITY = 0.6
const MAX_SOURCES = 3

const BORDER = /(?<=[.!?…]["'”’)]?)\s+|(?<=[。！？])|\n+/

/**
 * Finds up to three sources that an answer follows without citing them, by sentence similarity; none when in doubt.
 *
 * @throws the signal's reason when the caller left.
 */
export async function attribute(
  answer: string,
  passages: Passage[],
  signal: AbortSignal,
  o: { engine?: EmbeddingEngine } = {},
): Promise<number[]> {
  const statements = sentencesOf(answer).slice(0, MAX_STATEMENTS)
  const sentences = evenly(passages.map(({ source, text }) => ({ source, texts: withBefore(sentencesOf(text)) })))
  if (statements.length === 0 || sentences.length === 0) return []
  const engine = o.engine ?? embeddingEngine()
  const texts = [...statements, ...sentences.map(({ text }) => text)]
  const vectors = await embedSoon(texts, { engine, withinMs: ATTRIBUTE_MS, signal })
  if (!vectors) return []
  const statementVectors = vectors.slice(0, statements.length)
  const known = sentences.map(({ source }, index) => ({ source, vector: vectors[statements.length + index]! }))
  return best(statementVectors.flatMap((vector) => nearest(vector, known) ?? []))
}

function sentencesOf(text: string): string[] {
  return text
    .split(BORDER)
    .map((sentence) => sentence.trim().slice(0, MAX_SENTENCE_CHARS))
    .filter((sentence) => sentence.length >= MIN_SENTENCE_CHARS)
}

function withBefore(sentences: string[]): string[] {
  return sentences.flatMap((sentence, index) =>
    index === 0 ? [sentence] : [`${sentences[index - 1]} ${sentence}`, sentence],
  )
}

function evenly(passages: { source: number; texts: string[] }[]): { source: number; text: string }[] {
  const out: { source: number; text: string }[] = []
  const longest = Math.max(0, ...passages.map(({ texts }) => texts.length))
  for (let row = 0; row < longest && out.length < MAX_SOURCE_TEXTS; row++) {
    out.push(...passages.flatMap(({ source, texts }) => (row < texts.length ? [{ source, text: texts[row]! }] : [])))
  }
  return out.slice(0, MAX_SOURCE_TEXTS)
}

type Match = { source: number; score: number }

function nearest(vector: Float32Array, known: { source: number; vector: Float32Array }[]): Match[] | undefined {
  let match: Match = { source: -1, score: MIN_SIMILARITY }
  for (const { source, vector: other } of known) {
    const score = similarity(vector, other)
    if (score >= match.score) match = { source, score }
  }
  return match.source < 0 ? undefined : [match]
}

function best(matches: Match[]): number[] {
  const scores = new Map<number, number>()
  for (const { source, score } of matches) scores.set(source, (scores.get(source) ?? 0) + score)
  const ranked = [...scores].sort(([, left], [, right]) => right - left)
  return ranked
    .slice(0, MAX_SOURCES)
    .map(([source]) => source)
    .sort((left, right) => left - right)
}

const MAX_CHARS = 8_000

export function createAttribution(passages: () => Passage[] | undefined, signal: AbortSignal) {
  const texts = new Map<number, string>()

  async function marksFor(choice: number): Promise<string> {
    const statementVectors = texts.get(choice) ?? ''
    const found = passages()
    if (!found || statementVectors.trim() === '' || statementVectors.includes('[REF]')) return ''
    const sources = await attribute(statementVectors, found, signal)
    return sources.map((index) => ` [REF]${index}[/REF]`).join('')
  }

  return async (events: ChatEvent[]): Promise<ChatEvent[]> => {
    const out: ChatEvent[] = []
    for (const event of events) {
      if (event.type === 'text-delta') {
        texts.set(event.choice, ((texts.get(event.choice) ?? '') + event.text).slice(0, MAX_CHARS))
      }
      if (event.type === 'choice-end' && event.reason !== 'tool_calls') {
        const text = await marksFor(event.choice)
        if (text !== '') out.push({ type: 'text-delta', choice: event.choice, text })
      }
      out.push(event)
    }
    return out
  }
}
