import type { Cue } from '@/lib/contract/captions'

/** Letters and spaces that people read in a second, slowly. */
const READ_PER_SECOND = 14
const LEAST_SECONDS = 1.5

/** Captions of a film without a voice: each sentence for as long as it takes to read. */
export function readingCues(sentences: readonly string[]): Cue[] {
  let at = 0
  return sentences.map((text) => {
    const start = at
    at += Math.max(LEAST_SECONDS, text.length / READ_PER_SECOND)
    return { text, start, end: at }
  })
}
