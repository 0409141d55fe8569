import type { MarkedToken, Token, Tokens } from 'marked'
import { createElement, type ReactNode } from 'react'
import { CodeBlock } from '@/components/markdown/code-block'
import { htmlText, Inline, type RenderContext, restored } from '@/components/markdown/inline'
import { t } from '@/lib/i18n/t'

const FIRST_LEVEL = 2
const LAST_LEVEL = 6
const MAX_DEPTH = 60

type FlowProps = { tokens: Token[]; context: RenderContext; depth?: number }

/** Draws paragraphs, lists, tables and code. Elements are made here one by one, so a text has no others than these. */
export function Flow({ tokens, context, depth = 0 }: FlowProps) {
  // Tokens of a block that grows are only ever added at the end.
  return (tokens as MarkedToken[]).map((token, at) => drawn(token, context, depth, at))
}

function drawn(token: MarkedToken, context: RenderContext, depth: number, key: number): ReactNode {
  if (depth > MAX_DEPTH) return <p key={key}>{restored(token.raw, context.formulas)}</p>
  switch (token.type) {
    case 'paragraph':
      return (
        <p key={key}>
          <Inline tokens={token.tokens} context={context} />
        </p>
      )
    // A row of a list without blank lines: words without a paragraph around them.
    case 'text':
      return <Inline key={key} tokens={token.tokens ?? [token]} context={context} />
    case 'checkbox':
      return <Inline key={key} tokens={[token]} context={context} />
    case 'heading': {
      const level = Math.min(LAST_LEVEL, Math.max(FIRST_LEVEL, token.depth + context.shift))
      return createElement(`h${level}`, { key }, <Inline tokens={token.tokens} context={context} />)
    }
    case 'code':
      return <CodeBlock key={key} code={restored(token.text, context.formulas)} language={languageOf(token, context)} />
    case 'blockquote':
      return (
        <blockquote key={key}>
          <Flow tokens={token.tokens} context={context} depth={depth + 1} />
        </blockquote>
      )
    case 'list':
      return <List key={key} list={token} context={context} depth={depth + 1} />
    case 'table':
      return <Table key={key} table={token} context={context} />
    case 'hr':
      return <hr key={key} />
    case 'html': {
      const text = htmlText(restored(token.text, context.formulas).trimEnd())
      return text === '' ? null : <p key={key}>{text}</p>
    }
    default:
      // Blank lines and the addresses of links.
      return null
  }
}

function languageOf({ lang = '' }: Tokens.Code, { formulas }: RenderContext): string | undefined {
  return /\S+/.exec(restored(lang, formulas))?.[0]
}

function List({ list, context, depth }: { list: Tokens.List; context: RenderContext; depth: number }) {
  const items = list.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only ever added at the end
    <li key={at} className={item.task ? 'task-list-item' : undefined}>
      <Flow tokens={item.tokens} context={context} depth={depth} />
    </li>
  ))
  const className = list.items.some(({ task }) => task) ? 'contains-task-list' : undefined
  if (!list.ordered) return <ul className={className}>{items}</ul>
  return (
    <ol className={className} start={list.start === '' || list.start === 1 ? undefined : list.start}>
      {items}
    </ol>
  )
}

function Table({ table, context }: { table: Tokens.Table; context: RenderContext }) {
  const cells = (row: Tokens.TableCell[], Tag: 'td' | 'th') =>
    row.map(({ tokens, align }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place
      <Tag key={at} style={align ? { textAlign: align } : undefined}>
        <Inline tokens={tokens} context={context} />
      </Tag>
    ))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label={t('Table')} tabIndex={0} className="table-frame thin-scroll">
      <table>
        <thead>
          <tr>{cells(table.header, 'th')}</tr>
        </thead>
        {table.rows.length > 0 && (
          <tbody>
            {table.rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are only ever added at the end
              <tr key={at}>{cells(row, 'td')}</tr>
            ))}
          </tbody>
        )}
      </table>
    </div>
  )
}
