import { Lexer, type Token, type Tokens } from 'marked'
import { sourceOf, usedCitations } from '@/components/markdown/citations/sources'
import { decodeEntities } from '@/components/markdown/entities'
import type { Citation } from '@/lib/contract/chat.schema'
import { t } from '@/lib/i18n/t'

const MARK = /[ \t]*\[REF\]\s*(\d{1,4})\s*\[\/REF\]/gi
const MAX_DEPTH = 40

/**
 * Formats an answer for the clipboard: Markdown with citations as links, plain text without any, or Markdown with
 * numbers and a list of sources.
 */
export function answerAsText(
  text: string,
  citations: Citation[] | undefined,
  form: 'markdown' | 'plain' | 'sources',
): string {
  const sources = (citations ?? []).map(sourceOf)
  if (form === 'plain') return plainText(text.replace(MARK, ''))
  if (form === 'markdown') {
    return text.replace(MARK, (_, index: string) => {
      const source = sources[Number(index)]
      return source?.href ? ` [${Number(index) + 1}](<${source.href}>)` : ''
    })
  }
  const cited = usedCitations(text).flatMap((index) => sources[index] ?? [])
  const body = text.replace(MARK, (_, index: string) => (sources[Number(index)] ? ` [${Number(index) + 1}]` : ''))
  const list = (cited.length > 0 ? cited : sources).map(
    ({ index, title, href }) => `[${index + 1}] ${title}${href ? ` ${href}` : ''}`,
  )
  return list.length === 0 ? body : `${body.trimEnd()}\n\n${t('Sources:')}\n${list.join('\n')}`
}

export function plainText(markdown: string): string {
  return plainTokens(Lexer.lex(markdown), 0)
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function plainTokens(tokens: Token[], depth: number): string {
  if (depth > MAX_DEPTH) return tokens.map(({ raw }) => raw).join('')
  return tokens.map((token) => plainToken(token, depth + 1)).join('')
}

function plainToken(token: Token, depth: number): string {
  switch (token.type) {
    case 'space':
      return '\n'
    case 'br':
      return '\n'
    case 'hr':
      return '\n'
    case 'def':
      return ''
    case 'code':
      return `${token.text}\n\n`
    case 'list':
      return `${plainItems(token as Tokens.List, depth)}\n`
    case 'table':
      return `${plainTable(token as Tokens.Table, depth)}\n\n`
    case 'heading':
    case 'paragraph':
    case 'blockquote':
      return `${plainTokens(token.tokens ?? [], depth)}\n\n`
    default:
      if ('tokens' in token && token.tokens) return plainTokens(token.tokens, depth)
      if (token.type === 'text') return decodeEntities(token.text)
      return 'text' in token ? String(token.text) : token.raw
  }
}

function plainItems({ items, ordered, start }: Tokens.List, depth: number): string {
  const first = Number(start) || 1
  return items
    .map((item, at) => {
      const sign = ordered ? `${first + at}. ` : '- '
      const text = plainTokens(item.tokens, depth).trim().replace(/\n+/g, '\n').replaceAll('\n', '\n  ')
      return `${sign}${item.task ? (item.checked ? '[x] ' : '[ ] ') : ''}${text}`
    })
    .join('\n')
}

function plainTable(table: Tokens.Table, depth: number): string {
  return [table.header, ...table.rows]
    .map((cells) => cells.map(({ tokens }) => plainTokens(tokens, depth)).join('\t'))
    .join('\n')
}
