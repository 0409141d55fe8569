/** A stretch of text and when it is said, in seconds from the beginning. */
export type Cue = { text: string; start: number; end: number }

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

/** As a SubRip file. */
export function toSrt(cues: readonly Cue[]): string {
  return cues
    .map(({ text, start, end }, index) => `${index + 1}\n${clock(start)} --> ${clock(end)}\n${oneLine(text)}\n`)
    .join('\n')
}

/** An arrow or an empty line inside would begin another caption. */
const oneLine = (text: string): string => text.replaceAll('-->', '→').replace(/\s+/g, ' ').trim()

function clock(seconds: number): string {
  const ms = Math.round(seconds * 1_000)
  const part = (value: number, digits = 2) => String(Math.floor(value)).padStart(digits, '0')
  return `${part(ms / 3_600_000)}:${part((ms / 60_000) % 60)}:${part((ms / 1_000) % 60)},${part(ms % 1_000, 3)}`
}
