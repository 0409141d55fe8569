'use client'

import type { MarkedToken, Token, Tokens } from 'marked'
import { createElement, memo, type ReactNode, useId, useMemo, useRef, useState } from 'react'
import remend from 'remend'
import { CitedBy } from '@/components/markdown/citations/citation-chip'
import { usedCitations } from '@/components/markdown/citations/sources'
import { CodeBlock, OpenBlock } from '@/components/markdown/code-block'
import { OpenText } from '@/components/markdown/code-lines'
import { type FormulaSource, markCitations, markFormulas } from '@/components/markdown/formulas'
import { htmlText, Inline, NotesContext, type RenderContext, restored } from '@/components/markdown/inline'
import { type MarkdownBlocks, markdownBlocks, readTokens } from '@/components/markdown/markdown-blocks'
import type { Citation } from '@/lib/contract/chat.schema'
import { t } from '@/lib/i18n/t'

const FIRST_LEVEL = 2
const LAST_LEVEL = 6

type MarkdownProps = { text: string; isStreaming: boolean; citations?: Citation[] | undefined }

/**
 * Draws a model's text, which is hostile: no HTML, no remote load, links to the web only. Each block is drawn once and
 * kept; the one that still grows is completed first, so that half a mark never shows.
 */
export function Markdown({ text, isStreaming, citations }: MarkdownProps) {
  const { blocks, topHeading, notes } = useBlocks(text, isStreaming)
  const idPrefix = useId()
  // What streamed here stays as it was laid out: to lay all of a long answer out at its end is one long task.
  const [hasStreamed] = useState(isStreaming)
  const shift = topHeading > LAST_LEVEL ? 0 : FIRST_LEVEL - topHeading
  const labels = notes.map(({ label }) => label).join('\n')
  return (
    <CitedBy citations={citations} isStreaming={isStreaming} used={() => usedCitations(text)}>
      <NotesContext value={idPrefix}>
        <OpenText value={isStreaming}>
          <div className={isStreaming || hasStreamed ? 'prose prose-live' : 'prose'}>
            {blocks.map(({ raw, isCode }, index) => (
              <Block
                // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end, so the place is the identity
                key={index}
                text={raw}
                isCode={isCode}
                shift={shift}
                isOpen={isStreaming && index === blocks.length - 1}
                notes={raw.includes('[^') ? labels : ''}
              />
            ))}
            {notes.length > 0 && (
              <ol aria-label={t('Footnotes')} className="notes">
                {notes.map((note, index) => (
                  <li key={note.label} id={`${idPrefix}${index + 1}`} tabIndex={-1}>
                    <Block text={note.text} isCode={false} shift={0} isOpen={false} notes="" />
                  </li>
                ))}
              </ol>
            )}
          </div>
        </OpenText>
      </NotesContext>
    </CitedBy>
  )
}

function useBlocks(text: string, isStreaming: boolean): MarkdownBlocks {
  const before = useRef<MarkdownBlocks>(undefined)
  return useMemo(() => {
    before.current = markdownBlocks(markCitations(text, isStreaming), before.current)
    return before.current
  }, [text, isStreaming])
}

type BlockProps = { text: string; isCode: boolean; shift: number; isOpen: boolean; notes: string }

const Block = memo(function Block({ text, isCode, shift, isOpen, notes }: BlockProps) {
  const { tokens, formulas } = useMemo(() => {
    const { text: marked, formulas } = markedText(text, isCode, isOpen)
    return { tokens: readTokens(marked), formulas }
  }, [text, isCode, isOpen])
  const context = useMemo(
    () => ({ formulas, shift, notes: notes === '' ? [] : notes.split('\n') }),
    [formulas, shift, notes],
  )
  return (
    <OpenBlock value={isOpen}>
      <div dir={isCode ? undefined : 'auto'} className={isOpen ? 'caret-after' : undefined}>
        <Flow tokens={tokens} context={context} />
      </div>
    </OpenBlock>
  )
})

const REPAIRS = { katex: false, linkMode: 'text-only' } as const
/** The head of a table before its second line is whole: it will look different in a moment. */
const TABLE_HEAD = /^\|[^\n]*(\n[|:\s-]*)?$/
const NO_FORMULAS: FormulaSource[] = []

function markedText(text: string, isCode: boolean, isOpen: boolean): { text: string; formulas: FormulaSource[] } {
  if (isCode) return { text, formulas: NO_FORMULAS }
  if (isOpen && TABLE_HEAD.test(text)) return { text: '', formulas: NO_FORMULAS }
  const marked = markFormulas(text, isOpen)
  return {
    text: isOpen ? remend(marked.text, REPAIRS) : marked.text,
    formulas: marked.formulas.length === 0 ? NO_FORMULAS : marked.formulas,
  }
}

const MAX_DEPTH = 60

type FlowProps = { tokens: Token[]; context: RenderContext; depth?: number }

/** Draws paragraphs, lists, tables and code. Elements are made here one by one, so a text has no others than these. */
function Flow({ tokens, context, depth = 0 }: FlowProps) {
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
