'use client'

import { memo, useMemo } from 'react'
import remend from 'remend'
import { OpenBlock } from '@/components/markdown/around'
import { Flow } from '@/components/markdown/flow'
import { type Formula, markFormulas } from '@/components/markdown/formulas'
import { readTokens } from '@/components/markdown/read-tokens'

type BlockProps = {
  text: string
  isCode: boolean
  /** What is added to the levels of its headings. */
  shift: number
  isOpen: boolean
  /** The labels of the text's notes, one in a line. */
  notes: string
}

/** One block of a model's words. It is read again only when its own text changes. */
export const Block = memo(function Block({ text, isCode, shift, isOpen, notes }: BlockProps) {
  const { tokens, formulas } = useMemo(() => {
    const { words, formulas } = wordsOf(text, isCode, isOpen)
    return { tokens: readTokens(words), formulas }
  }, [text, isCode, isOpen])
  const reading = useMemo(
    () => ({ formulas, shift, notes: notes === '' ? [] : notes.split('\n') }),
    [formulas, shift, notes],
  )
  return (
    <OpenBlock value={isOpen}>
      <div dir={isCode ? undefined : 'auto'} className={isOpen ? 'caret-after' : undefined}>
        <Flow tokens={tokens} reading={reading} />
      </div>
    </OpenBlock>
  )
})

const REPAIRS = { katex: false, linkMode: 'text-only' } as const
/** The head of a table before its second line is whole: bars and words that will look quite different in a moment. */
const TABLE_HEAD = /^\|[^\n]*(\n[|:\s-]*)?$/
const NO_FORMULAS: Formula[] = []

function wordsOf(text: string, isCode: boolean, isOpen: boolean): { words: string; formulas: Formula[] } {
  if (isCode) return { words: text, formulas: NO_FORMULAS }
  if (isOpen && TABLE_HEAD.test(text)) return { words: '', formulas: NO_FORMULAS }
  const marked = markFormulas(text, isOpen)
  return {
    words: isOpen ? remend(marked.text, REPAIRS) : marked.text,
    formulas: marked.formulas.length === 0 ? NO_FORMULAS : marked.formulas,
  }
}
