import { Lexer, type MarkedToken } from 'marked'

/** Nested emphasis is read again at each level: more signs than anybody writes into one block would block the page. */
const MOST_SIGNS = 4_000
const MOST_OPENINGS = 400
/** Longer than any address: each of its letters is tried as the beginning of one. */
const MOST_ADDRESS_CHARS = 2_000
const SIGNS = /[*_~[\]]/g
const OPENINGS = /(?<=^|\s)[*_~]+(?=\S)/g

export function readTokens(source: string): MarkedToken[] {
  if (count(source, SIGNS) > MOST_SIGNS || count(source, OPENINGS) > MOST_OPENINGS) return plain(source)
  if (hasLongAddress(source)) return plain(source)
  try {
    // The lexer has no tokens of others: it is used without extensions.
    return new Lexer().lex(source) as MarkedToken[]
  } catch {
    // So deeply nested that the stack is full.
    return plain(source)
  }
}

const hasLongAddress = (source: string) =>
  source.includes('@') && source.split(/\s+/).some((word) => word.length > MOST_ADDRESS_CHARS && word.includes('@'))

const plain = (text: string): MarkedToken[] => [
  { type: 'paragraph', raw: text, text, tokens: [{ type: 'escape', raw: text, text }] },
]

function count(text: string, pattern: RegExp): number {
  let found = 0
  for (const _ of text.matchAll(pattern)) found++
  return found
}
