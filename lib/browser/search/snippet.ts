export type Piece = { text: string; isMark: boolean }

const CHARS_BEFORE = 40
const MAX_CHARS = 160
const MAX_TEXT_CHARS = 200_000

/** Returns the part of a text where the terms stand, in one line. Terms are folded beginnings of words. */
export function snippetOf(text: string, terms: readonly string[]): Piece[] {
  const plain = text.slice(0, MAX_TEXT_CHARS).replace(/\s+/g, ' ').trim()
  const { folded, origins } = foldWithOrigins(plain)
  const marks = marksIn(folded, terms).map(({ start, end }) => ({
    start: origins[start] ?? 0,
    end: origins[end] ?? plain.length,
  }))
  const first = marks[0]?.start ?? 0
  const from = first > CHARS_BEFORE ? wordStart(plain, first - CHARS_BEFORE) : 0
  const to = Math.min(plain.length, from + MAX_CHARS)
  const pieces: Piece[] = []
  const put = (piece: string, isMark: boolean) => {
    if (piece) pieces.push({ text: piece, isMark })
  }
  let at = from
  for (const { start, end } of marks) {
    if (start < at || start >= to) continue
    put(plain.slice(at, start), false)
    put(plain.slice(start, Math.min(end, to)), true)
    at = Math.min(end, to)
  }
  put(plain.slice(at, to), false)
  const lead = from > 0 ? [{ text: '… ', isMark: false }] : []
  const rest = to < plain.length ? [{ text: ' …', isMark: false }] : []
  return [...lead, ...pieces, ...rest]
}

/** Folding may make a text shorter or longer: `origins` says where each of its characters came from. */
function foldWithOrigins(text: string): { folded: string; origins: number[] } {
  let folded = ''
  const origins: number[] = []
  let at = 0
  for (const sign of text) {
    const plain = fold(sign)
    for (let i = 0; i < plain.length; i += 1) origins.push(at)
    folded += plain
    at += sign.length
  }
  origins.push(at)
  return { folded, origins }
}

function marksIn(folded: string, terms: readonly string[]): { start: number; end: number }[] {
  if (terms.length === 0) return []
  const longestFirst = [...terms].sort((a, b) => b.length - a.length).map(literal)
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${longestFirst.join('|')})|[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]+`,
    'gu',
  )
  const marks: { start: number; end: number }[] = []
  for (const match of folded.matchAll(pattern)) {
    const word = match[0]
    if (terms.some((term) => word.startsWith(term))) marks.push({ start: match.index, end: match.index + word.length })
    else {
      const inside = terms.map((term) => ({ term, at: word.indexOf(term) })).find((hit) => hit.at > 0)
      if (inside) marks.push({ start: match.index + inside.at, end: match.index + inside.at + inside.term.length })
    }
    if (marks.length >= MAX_MARKS) break
  }
  return marks
}

const MAX_MARKS = 20

function wordStart(text: string, at: number): number {
  const space = text.indexOf(' ', at)
  return space < 0 || space > at + CHARS_BEFORE ? at : space + 1
}

const literal = (term: string): string => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

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
