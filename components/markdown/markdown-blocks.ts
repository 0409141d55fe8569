import { Lexer, Marked, type MarkedToken, type Token, type TokenizerExtension } from 'marked'

type MarkdownBlock = { raw: string; isCode: boolean }
type MarkdownNote = { label: string; text: string }

export type MarkdownBlocks = {
  blocks: MarkdownBlock[]
  topHeading: number
  notes: MarkdownNote[]
  source: string
  parts: Part[]
}

type Part = { raw: string; kind: 'block' | 'code' | 'blank' | 'definition' | 'note'; depth: number }

const NO_HEADING = 7
/** A piece that follows can change these: a heading's underline, a list that goes on after a blank line. */
const UNSETTLED_BLOCKS = 2

/**
 * Cuts Markdown into its top-level blocks. While a text grows, all blocks but the last two are taken from `before`, and
 * only the rest is read again.
 */
export function markdownBlocks(text: string, before?: MarkdownBlocks): MarkdownBlocks {
  const source = text.replace(/\r\n?/g, '\n')
  const settled = before && source.startsWith(before.source) ? settledParts(before.parts) : []
  const from = settled.reduce((sum, { raw }) => sum + raw.length, 0)
  const parts = [...settled, ...partsOf(source.slice(from))]
  return { ...assembled(parts), source, parts }
}

function settledParts(parts: Part[]): Part[] {
  let left = UNSETTLED_BLOCKS
  for (let at = parts.length - 1; at >= 0; at--) {
    const kind = parts[at]?.kind
    if ((kind === 'block' || kind === 'code') && --left === 0) return parts.slice(0, at)
  }
  return []
}

function partsOf(source: string): Part[] {
  const parts: Part[] = []
  let at = 0
  // Only blocks are looked for: what stands inside them is read when they are drawn.
  for (const token of lexTokens(source)) {
    const raw = source.startsWith(token.raw, at) ? token.raw : ''
    at += raw.length
    if (raw !== '') parts.push({ raw, kind: kindOf(token), depth: token.type === 'heading' ? token.depth : NO_HEADING })
  }
  // The lexer changed something in the text: nothing may be lost, so the rest is one block.
  if (at < source.length) parts.push({ raw: source.slice(at), kind: 'block', depth: NO_HEADING })
  return parts
}

/** Returns nothing when quotes or lists are nested so deep that the stack is full. */
function lexTokens(source: string): Token[] {
  try {
    return new Lexer(MARKED.defaults).blockTokens(source, [])
  } catch {
    return []
  }
}

function kindOf({ type }: Token): Part['kind'] {
  if (type === 'space') return 'blank'
  if (type === 'def') return 'definition'
  return type === 'note' || type === 'code' ? type : 'block'
}

function assembled(parts: Part[]): Pick<MarkdownBlocks, 'blocks' | 'topHeading' | 'notes'> {
  const blocks: MarkdownBlock[] = []
  const notes: MarkdownNote[] = []
  let topHeading = NO_HEADING
  let definitions = ''
  for (const { raw, kind, depth } of parts) {
    const last = blocks.at(-1)
    topHeading = Math.min(topHeading, depth)
    if (kind === 'definition') definitions += raw.endsWith('\n') ? raw : `${raw}\n`
    else if (kind === 'note') notes.push(noteOf(raw))
    else if (kind !== 'blank') blocks.push({ raw, isCode: kind === 'code' })
    else if (last) blocks[blocks.length - 1] = { ...last, raw: last.raw + raw }
  }
  if (definitions === '') return { blocks, topHeading, notes }
  const withLinks = ({ raw, isCode }: MarkdownBlock) => ({
    raw: !isCode && raw.includes(']') ? `${raw}\n\n${definitions}` : raw,
    isCode,
  })
  return { blocks: blocks.map(withLinks), topHeading, notes }
}

const NOTE = /^ {0,3}\[\^([^\]\s]{1,60})\]:([^\n]*(?:\n(?!\n| {0,3}\[\^)[^\n]+|\n+(?: {2,}|\t)[^\n]+)*)(?:\n+|$)/

function noteOf(raw: string): MarkdownNote {
  const [, label = '', text = ''] = NOTE.exec(raw) ?? []
  return { label, text: text.replace(/\n(?: {1,4}|\t)/g, '\n').trim() }
}

/** Formulas on lines of their own: Markdown would see a heading or a list in them. */
const FORMULA = /^ {0,3}(?:\$\$[\s\S]*?(?<!\\)\$\$|\\\[[\s\S]*?\\\])[^\n]*(?:\n+|$)/
const OPEN_FORMULA = /^ {0,3}(?:\$\$|\\\[)[ \t]*(?:\n(?!\n)[^\n]*)*$/

const EXTENSIONS: TokenizerExtension[] = [
  {
    name: 'note',
    level: 'block',
    start: (source) => startOf(source, /\n {0,3}\[\^/),
    tokenizer: (source) => tokenOf('note', NOTE.exec(source)),
  },
  {
    name: 'formula',
    level: 'block',
    start: (source) => startOf(source, /\n {0,3}(?:\$\$|\\\[)/),
    tokenizer: (source) => tokenOf('formula', FORMULA.exec(source) ?? OPEN_FORMULA.exec(source)),
  },
]

const MARKED = new Marked({ extensions: EXTENSIONS })

function startOf(source: string, pattern: RegExp): number | undefined {
  const at = source.search(pattern)
  return at < 0 ? undefined : at + 1
}

function tokenOf(type: string, found: RegExpExecArray | null) {
  return found ? { type, raw: found[0] } : undefined
}

/** Nested emphasis is read again at each level: more signs than anybody writes into one block would block the page. */
const MAX_SIGNS = 4_000
const MAX_OPENINGS = 400
/** Longer than any address: each of its letters is tried as the beginning of one. */
const MAX_ADDRESS_CHARS = 2_000
const SIGNS = /[*_~[\]]/g
const OPENINGS = /(?<=^|\s)[*_~]+(?=\S)/g

export function readTokens(source: string): MarkedToken[] {
  if (count(source, SIGNS) > MAX_SIGNS || count(source, OPENINGS) > MAX_OPENINGS) return plain(source)
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
  source.includes('@') && source.split(/\s+/).some((word) => word.length > MAX_ADDRESS_CHARS && word.includes('@'))

const plain = (text: string): MarkedToken[] => [
  { type: 'paragraph', raw: text, text, tokens: [{ type: 'escape', raw: text, text }] },
]

function count(text: string, pattern: RegExp): number {
  let found = 0
  for (const _ of text.matchAll(pattern)) found++
  return found
}
