import 'server-only'
import { log } from '@/lib/kernel/log'
import type { EmbeddingEngine } from '@/lib/services/engines/engine'
import { embeddingEngine } from '@/lib/services/engines/registry'

export type Passage = { source: number; position: number; text: string }

type Scored = Passage & { score: number }
type PassageOptions = {
  budgetChars: number
  maxSources: number
  signal: AbortSignal
  engine?: EmbeddingEngine
}

const MAX_EMBEDDED = 48
const MAX_QUESTION_CHARS = 1_000
const EMBED_MS = 4_000
const WORDS_WEIGHT = 0.25
const POSITION_WEIGHT = 0.05
const MIN_PASSAGE_CHARS = 240
const MIN_CHARS = 160

/**
 * Picks passages about a question within a budget of characters: the best source first, the passages of each in their
 * own order, and something of every source where the budget allows.
 *
 * @param sources a text each.
 */
export async function bestPassages(question: string, sources: string[], options: PassageOptions): Promise<Passage[]> {
  const share = options.budgetChars / Math.max(1, Math.min(options.maxSources, sources.length))
  const maxChars = Math.floor(Math.min(MAX_PASSAGE_CHARS, Math.max(MIN_PASSAGE_CHARS, share)))
  const passages = distinct(
    sources.flatMap((text, source) =>
      splitPassages(text, maxChars).map((piece, position) => ({ source, position, text: piece })),
    ),
  )
  const ranked = await rank(question.slice(0, MAX_QUESTION_CHARS), passages, options)
  return inReadingOrder(pick(ranked, options))
}

function distinct(passages: Passage[]): Passage[] {
  const seen = new Set<string>()
  return passages.filter(({ text }) => !seen.has(text) && seen.add(text))
}

async function rank(question: string, passages: Passage[], options: PassageOptions): Promise<Scored[]> {
  const scored = byScore(byTerms(question, passages))
  const engine = options.engine ?? embeddingEngine()
  const candidates = scored.slice(0, MAX_EMBEDDED)
  const texts = [question, ...candidates.map(({ text }) => text)]
  const vectors = await embedSoon(texts, { engine, withinMs: EMBED_MS, signal: options.signal })
  if (!vectors) return scored
  const [query, ...others] = vectors
  candidates.forEach((passage, index) => {
    passage.score += similarity(query!, others[index]!)
  })
  // The others share fewer words with the question than all of these, so they come after.
  return [...byScore(candidates), ...scored.slice(MAX_EMBEDDED)]
}

const byScore = (passages: Scored[]) => passages.toSorted((left, right) => right.score - left.score)

function byTerms(question: string, passages: Passage[]): Scored[] {
  const words = [...termsOf(question)]
  const contents = passages.map(({ text }) => termsOf(text))
  const weights = words.map((word) => {
    const holders = contents.filter((terms) => terms.has(word)).length
    return Math.log(1 + passages.length / (1 + holders))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  return passages.map((passage, index) => {
    const shared = words.reduce((sum, word, at) => sum + (contents[index]!.has(word) ? weights[at]! : 0), 0)
    const lateness = passage.position / (passage.position + 10)
    return { ...passage, score: (WORDS_WEIGHT * shared) / total - POSITION_WEIGHT * lateness }
  })
}

function termsOf(text: string): Set<string> {
  const terms = text.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}]{2,}/gu) ?? []
  return new Set(terms.map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word)))
}

function pick(ranked: Scored[], { budgetChars, maxSources }: PassageOptions): Scored[] {
  const seen = new Set<number>()
  const firsts = ranked.filter(({ source }) => !seen.has(source) && seen.add(source)).slice(0, maxSources)
  const places = Math.min(firsts.length, Math.max(1, Math.floor(budgetChars / MIN_CHARS)))
  const share = Math.floor(budgetChars / Math.max(1, places))
  const selected = new Map<Scored, Scored>()
  let left = budgetChars

  function select(passage: Scored, maxChars: number): void {
    const text = passage.text.length <= maxChars ? passage.text : beginningOf(passage.text, maxChars)
    if (text === '' || text.length > left) return
    selected.set(passage, { ...passage, text })
    left -= text.length
  }

  for (const passage of firsts.slice(0, places)) select(passage, share)
  const chosen = new Set([...selected.values()].map(({ source }) => source))
  for (const passage of ranked) {
    if (left < MIN_CHARS) break
    if (chosen.has(passage.source) && !selected.has(passage)) select(passage, left)
  }
  return [...selected.values()]
}

function inReadingOrder(picked: Scored[]): Passage[] {
  const best = new Map<number, number>()
  for (const { source, score } of picked) best.set(source, Math.max(score, best.get(source) ?? -Infinity))
  return picked
    .toSorted((left, right) => best.get(right.source)! - best.get(left.source)! || left.position - right.position)
    .map(({ source, position, text }) => ({ source, position, text }))
}

const MAX_PASSAGE_CHARS = 900
export const MAX_PASSAGES = 200

const SENTENCE_END = /[.!?…]["'”’)\]]*\s|[。！？]/g

export function splitPassages(text: string, maxChars = MAX_PASSAGE_CHARS): string[] {
  const passages: string[] = []
  let from = 0
  while (from < text.length && passages.length < MAX_PASSAGES) {
    const end = endOfPassage(text, from, maxChars)
    const passage = text.slice(from, end).trim()
    if (passage !== '') passages.push(passage)
    from = end
  }
  return passages
}

export function beginningOf(text: string, maxChars: number): string {
  return text.slice(0, endOfPassage(text, 0, maxChars)).trim()
}

function endOfPassage(text: string, from: number, maxChars: number): number {
  if (text.length - from <= maxChars) return text.length
  // One character more: a border that lies right behind the last one counts.
  const window = text.slice(from, from + maxChars + 1)
  const minChars = maxChars / 2
  const borders = [
    window.lastIndexOf('\n\n'),
    lastSentenceEnd(window, maxChars),
    window.lastIndexOf('\n'),
    window.lastIndexOf(' '),
  ]
  const border = borders.find((at) => at >= minChars)
  if (border !== undefined) return from + border
  // No word is that long: cut, but not through a character.
  const isHalf = /[\ud800-\udbff]$/.test(window.slice(0, maxChars))
  return from + Math.max(1, isHalf ? maxChars - 1 : maxChars)
}

function lastSentenceEnd(text: string, maxChars: number): number {
  let last = -1
  for (const match of text.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].trimEnd().length
    if (end <= maxChars) last = end
  }
  return last
}

type EmbedSoon = { engine: EmbeddingEngine | undefined; withinMs: number; signal: AbortSignal }

/**
 * Embeds texts within a time.
 *
 * @returns undefined where there is no engine, it failed, or time was up.
 * @throws the signal's reason when the caller left.
 */
export async function embedSoon(texts: string[], o: EmbedSoon): Promise<Float32Array[] | undefined> {
  o.signal.throwIfAborted()
  if (!o.engine || texts.length === 0) return undefined
  const deadline = AbortSignal.any([o.signal, AbortSignal.timeout(o.withinMs)])
  try {
    const vectors = await Promise.race([o.engine.embed(texts, deadline), aborted(deadline)])
    return vectors.length === texts.length ? vectors : undefined
  } catch (error) {
    o.signal.throwIfAborted()
    log().info({ err: error, texts: texts.length }, 'embedding texts timed out')
    return undefined
  }
}

export function similarity(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let at = 0; at < left.length; at++) sum += left[at]! * right[at]!
  return sum
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
