import { Lexer, type Token } from 'marked'

export type MarkdownBlocks = {
  /** Text that stands for itself: drawing one block never needs another. */
  blocks: string[]
  /** The least heading level in the text, or 7 without headings. */
  topHeading: number
}

/**
 * Cuts markdown into its top-level blocks. While a text grows all blocks but the last stay the same, so that only the
 * last one is parsed and drawn again.
 */
export function markdownBlocks(text: string): MarkdownBlocks {
  const tokens = Lexer.lex(text)
  const blocks: string[] = []
  let topHeading = 7
  let definitions = ''
  for (const token of tokens) {
    if (token.type === 'heading') topHeading = Math.min(topHeading, token.depth)
    if (token.type === 'def') definitions += token.raw
    else if (belongsToLast(token) && blocks.length > 0) blocks[blocks.length - 1] += token.raw
    else blocks.push(token.raw)
  }
  if (definitions === '') return { blocks, topHeading }
  return { blocks: blocks.map((block) => (block.includes(']') ? `${block}\n\n${definitions}` : block)), topHeading }
}

function belongsToLast(token: Token): boolean {
  return token.type === 'space'
}
