import 'server-only'
import type { ChatEvent, EmbeddingEngine } from '@/lib/services/engines/engine'
import { embeddingEngine } from '@/lib/services/engines/registry'
import type { Passage } from '@/lib/services/web/passages'
import { embedSoon, similarity } from '@/lib/services/web/passages'

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
