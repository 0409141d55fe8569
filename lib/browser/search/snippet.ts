import { fold } from '@/lib/browser/search/word-index'

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
