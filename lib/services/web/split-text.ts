/** About a paragraph: enough to understand, little enough for an embedding model's window. Characters. */
export const MAX_PASSAGE_CHARS = 900
/** Passages of one text; what comes after is not read. */
export const MAX_PASSAGES = 200

/** Ends of sentences, with the white space after them where the script has it. */
const SENTENCE_END = /[.!?…]["'”’)\]]*\s|[。！？]/g

/** A text as passages of limited length, cut between paragraphs where possible, else sentences, else words. */
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

/** The beginning of a text, whole sentences or at least words. */
export function beginningOf(text: string, maxChars: number): string {
  return text.slice(0, endOfPassage(text, 0, maxChars)).trim()
}

function endOfPassage(text: string, from: number, maxChars: number): number {
  if (text.length - from <= maxChars) return text.length
  // One character more: a border that lies right behind the last one counts.
  const window = text.slice(from, from + maxChars + 1)
  const least = maxChars / 2
  const borders = [
    window.lastIndexOf('\n\n'),
    lastSentenceEnd(window, maxChars),
    window.lastIndexOf('\n'),
    window.lastIndexOf(' '),
  ]
  const border = borders.find((at) => at >= least)
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
