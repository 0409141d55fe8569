/** Longer runs of letters are no words: keys, hashes, data. */
const MAX_WORD_CHARS = 32
/** A text of a megabyte ends here. */
const MAX_WORDS = 60_000

const WORD = /[\p{L}\p{N}]+/gu
const MARKS = /\p{M}+/gu
/** Scripts without spaces between words: they are cut into pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Folds case and accents. The result may be shorter or longer than the text. */
export const fold = (text: string): string => text.normalize('NFKD').replace(MARKS, '').toLowerCase()

export function searchWords(text: string): Set<string> {
  const words = new Set<string>()
  let left = MAX_WORDS
  for (const [word] of fold(text).matchAll(WORD)) {
    left -= 1
    if (left < 0) break
    if (UNSPACED.test(word)) for (const pair of pairsOf(word)) words.add(pair)
    else if (word.length <= MAX_WORD_CHARS) words.add(word)
  }
  return words
}

/** Splits a query into the beginnings of words that all have to be there. */
export function termsOf(query: string): string[] {
  const terms = new Set<string>()
  for (const [word] of fold(query).matchAll(WORD)) {
    if (!UNSPACED.test(word)) terms.add(word.slice(0, MAX_WORD_CHARS))
    // The last sign alone would only say again what the pairs say.
    else for (const pair of pairsOf(word)) if (pair.length > 1 || word.length === 1) terms.add(pair)
    if (terms.size >= MAX_TERMS) break
  }
  return [...terms].slice(0, MAX_TERMS)
}

const MAX_TERMS = 12

function* pairsOf(word: string): Generator<string> {
  const signs = Array.from(word)
  for (let at = 0; at < signs.length; at += 1) yield signs.slice(at, at + 2).join('')
}
