import 'server-only'
import type { ChatEvent, EmbeddingEngine } from '@/lib/services/engines/engine'
import { embeddingEngine } from '@/lib/services/engines/registry'
import type { Passage } from '@/lib/services/web/passages'
import { embedSoon, similarity } from '@/lib/services/web/passages'

/** How long the comparison may hold the end of an answer back. */
const ATTRIBUTE_MS = 3_000
const MAX_STATEMENTS = 16
const MAX_SOURCE_TEXTS = 128
/** Shorter ones state nothing that could be told apart. Characters. */
const LEAST_SENTENCE_CHARS = 24
const MAX_SENTENCE_CHARS = 400
/** A statement follows a source whose sentence is at least this like it. Paraphrases lie above, mere topics below. */
const LEAST_SIMILARITY = 0.6
const MAX_SOURCES = 3

const BORDER = /(?<=[.!?…]["'”’)]?)\s+|(?<=[。！？])|\n+/

/**
 * The sources that an answer follows without saying so: those of whose sentences one says nearly the same as one of the
 * answer. At most three, in the order of the list; none when in doubt.
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
  const said = vectors.slice(0, statements.length)
  const known = sentences.map(({ source }, index) => ({ source, vector: vectors[statements.length + index]! }))
  return best(said.flatMap((vector) => nearest(vector, known) ?? []))
}

function sentencesOf(text: string): string[] {
  return text
    .split(BORDER)
    .map((sentence) => sentence.trim().slice(0, MAX_SENTENCE_CHARS))
    .filter((sentence) => sentence.length >= LEAST_SENTENCE_CHARS)
}

/** Each sentence, and again with the one before it, which says what "it" is. */
function withBefore(sentences: string[]): string[] {
  return sentences.flatMap((sentence, index) =>
    index === 0 ? [sentence] : [`${sentences[index - 1]} ${sentence}`, sentence],
  )
}

/** The first sentences of every passage, then the second, as many as may be compared: none is left out for its place. */
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
  let match: Match = { source: -1, score: LEAST_SIMILARITY }
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

/** What of an answer is compared with the sources: more would say nothing new. */
const MAX_CHARS = 8_000

/**
 * Adds the sources to an answer whose model was asked to cite and did not: those that it visibly follows, at its end. Small
 * models seldom write the marks.
 */
export function createAttribution(passages: () => Passage[] | undefined, signal: AbortSignal) {
  const texts = new Map<number, string>()

  async function marksFor(choice: number): Promise<string> {
    const said = texts.get(choice) ?? ''
    const found = passages()
    if (!found || said.trim() === '' || said.includes('[REF]')) return ''
    const sources = await attribute(said, found, signal)
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
