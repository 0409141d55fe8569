/** What ends with a full stop in the middle of a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|Rev|St|Mt|Jr|Sr|vs|etc|approx|e\.g|i\.e|No|Fig|[A-Z])\.\s*$/

/**
 * Splits text into sentences of at most `maxCharacters`, longer ones at a comma, a space or wherever they must be.
 * Paragraphs and lines end sentences. Nothing comes out empty, and nothing but white space is lost.
 */
export function* sentencesOf(text: string, maxCharacters: number): Generator<string> {
  let pending = ''
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    pending += segment
    if (ABBREVIATION.test(pending.slice(-20)) && pending.length < maxCharacters) continue
    yield* split(pending, maxCharacters)
    pending = ''
  }
  yield* split(pending, maxCharacters)
}

function* split(sentence: string, maxCharacters: number): Generator<string> {
  let rest = sentence.trim()
  while (rest.length > maxCharacters) {
    const end = placeToSplit(rest.slice(0, maxCharacters))
    yield rest.slice(0, end).trim()
    rest = rest.slice(end).trim()
  }
  if (rest !== '') yield rest
}

/** After the last comma of the second half, else after the last space, else at the end, but never within a character. */
function placeToSplit(text: string): number {
  for (const mark of [/[,;:–—](?=\s)[^,;:–—]*$/, /\s\S*$/]) {
    const place = text.search(mark)
    if (place >= text.length / 2) return place + 1
  }
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length
}
