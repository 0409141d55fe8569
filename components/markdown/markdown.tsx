'use client'

import { memo, useId, useMemo, useRef, useState } from 'react'
import remend from 'remend'
import { CitedBy } from '@/components/markdown/citations/citation-chip'
import { usedCitations } from '@/components/markdown/citations/sources'
import { Flow } from '@/components/markdown/flow'
import { type Formula, markCitations, markFormulas } from '@/components/markdown/formulas'
import { NotesContext } from '@/components/markdown/inline'
import { type MarkdownBlocks, markdownBlocks, readTokens } from '@/components/markdown/markdown-blocks'
import { OpenBlock, OpenText } from '@/components/markdown/streaming-context'
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

type BlockProps = {
  text: string
  isCode: boolean
  shift: number
  isOpen: boolean
  notes: string
}

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
const NO_FORMULAS: Formula[] = []

function markedText(text: string, isCode: boolean, isOpen: boolean): { text: string; formulas: Formula[] } {
  if (isCode) return { text, formulas: NO_FORMULAS }
  if (isOpen && TABLE_HEAD.test(text)) return { text: '', formulas: NO_FORMULAS }
  const marked = markFormulas(text, isOpen)
  return {
    text: isOpen ? remend(marked.text, REPAIRS) : marked.text,
    formulas: marked.formulas.length === 0 ? NO_FORMULAS : marked.formulas,
  }
}
