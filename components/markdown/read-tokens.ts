import { Lexer, type MarkedToken } from 'marked'

/**
 * Emphasis inside emphasis is read again at each level. Words with more signs than anybody writes into one block are
 * shown as they are, because reading them would stop the page.
 */
const MOST_SIGNS = 4_000
const MOST_OPENINGS = 400
/** Longer than any address: each of its letters is tried as the beginning of one. */
const MOST_ADDRESS_CHARS = 2_000
const SIGNS = /[*_~[\]]/g
const OPENINGS = /(?<=^|\s)[*_~]+(?=\S)/g

/** What markdown sees in a block. Anything that cannot be read is one paragraph of plain words. */
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
