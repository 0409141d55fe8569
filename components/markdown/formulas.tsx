'use client'

import { createElement, memo, type ReactNode, useEffect, useMemo, useState } from 'react'
import type { MathElement } from '@/components/markdown/latex-to-mathml'
import { t } from '@/lib/i18n/t'

export type FormulaSource = { latex: string; isDisplay: boolean; source: string }
type WithFormulas = { text: string; formulas: FormulaSource[] }

/** A formula that is being written is held back for so many characters; then it is taken for text. */
const MAX_HELD_CHARS = 120
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})[^\n]*/
const STARTERS = /[\\`$\n]/g

/**
 * Finds the formulas of a block and puts marks in their places: `$…$` by Pandoc's rule, `$$…$$`, `\(…\)` and `\[…\]`.
 * Code is left alone, and so is money: `$5 and $10` has a blank before its second sign. `isOpen`: the block is still
 * being written, and a formula without an end is held back.
 */
export function markFormulas(source: string, isOpen: boolean): WithFormulas {
  if (!/[$\\]/.test(source)) return { text: source, formulas: [] }
  const formulas: FormulaSource[] = []
  let text = ''
  let copied = 0
  let at = skipFence(source, 0)
  while (at < source.length) {
    STARTERS.lastIndex = at
    const next = STARTERS.exec(source)
    if (!next) break
    at = next.index
    if (next[0] === '\n') at = skipFence(source, at + 1)
    else if (next[0] === '`') at = skipCodeSpan(source, at)
    else {
      const found = formulaAt(source, at)
      if (found) {
        text += source.slice(copied, at) + markOf('m', formulas.length)
        formulas.push(found.formula)
        at = copied = found.end
      } else if (isOpen && isHalfFormula(source, at)) {
        return { text: text + source.slice(copied, at), formulas }
      } else at += next[0] === '$' ? runLength(source, at) : 2
    }
  }
  return { text: text + source.slice(copied), formulas }
}

type Found = { formula: FormulaSource; end: number }

function formulaAt(source: string, at: number): Found | undefined {
  if (source.startsWith('\\(', at)) return delimited(source, at, '\\(', '\\)', false)
  if (source.startsWith('\\[', at)) return delimited(source, at, '\\[', '\\]', true)
  if (source.startsWith('$$', at)) return delimited(source, at, '$$', '$$', true)
  return source[at] === '$' ? inDollars(source, at) : undefined
}

function delimited(source: string, at: number, open: string, close: string, isDisplay: boolean): Found | undefined {
  let end = source.indexOf(close, at + open.length)
  while (end > 0 && isEscaped(source, end)) end = source.indexOf(close, end + 1)
  if (end < 0) return undefined
  const latex = unquoted(source.slice(at + open.length, end)).trim()
  // Inside a paragraph a blank line ends what is written in one line.
  if (latex === '' || (!isDisplay && /\n[ \t]*\n/.test(latex))) return undefined
  end += close.length
  return { formula: { latex, isDisplay, source: source.slice(at, end) }, end }
}

/**
 * Reads `$…$` by Pandoc's rule: no blank behind the first sign, none before the second, no digit behind it, and no sign
 * between them. Stricter: no letter before the first (`US$5`), no words between prices (`$5 a day or 10$`), no shell
 * names.
 */
function inDollars(source: string, at: number): Found | undefined {
  if (/[\s$]/.test(source[at + 1] ?? ' ') || /[\p{L}]/u.test(source[at - 1] ?? ' ')) return undefined
  for (let end = at + 1; end < source.length; end++) {
    const letter = source[end]
    if (letter === '\\') end++
    else if (letter === '\n' && /^\n[ \t]*\n/.test(source.slice(end, end + 40))) return undefined
    else if (letter === '$') {
      const latex = source.slice(at + 1, end)
      const after = source[end + 1] ?? ' '
      if (/\s$/.test(latex) || /[\d$]/.test(after) || isMoney(latex) || isShell(latex, after)) return undefined
      return { formula: { latex: unquoted(latex), isDisplay: false, source: source.slice(at, end + 1) }, end: end + 1 }
    }
  }
  return undefined
}

const isMoney = (latex: string) =>
  /^\d/.test(latex) && !/[\\^_={}]/.test(latex) && /\p{L}{3,}|\p{L}[\s\S]*\s\p{L}|[,;]\s/u.test(latex)

const isShell = (latex: string, after: string) => /^[A-Z_][A-Z\d_]+[/:.\s-]*$/.test(latex) && /[A-Za-z_{(]/.test(after)

const unquoted = (latex: string) => latex.replace(/\n[ \t]*>[ \t]?/g, '\n')

function isHalfFormula(source: string, at: number): boolean {
  const rest = source.slice(at)
  if (/^(?:\$\$|\\\[)/.test(rest)) return true
  if (rest.length > MAX_HELD_CHARS || rest.includes('\n')) return false
  return /^(?:\\\(?$|\\\(|\$$|\$[^\s\d$][^$]*$)/.test(rest) && !/\p{L}/u.test(source[at - 1] ?? ' ')
}

function isEscaped(source: string, at: number): boolean {
  let slashes = 0
  while (source[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

function runLength(source: string, at: number): number {
  let end = at
  while (source[end] === source[at]) end++
  return end - at
}

function skipCodeSpan(source: string, at: number): number {
  const length = runLength(source, at)
  let end = source.indexOf('`', at + length)
  while (end >= 0) {
    const closing = runLength(source, end)
    if (closing === length) return end + closing
    end = source.indexOf('`', end + closing)
  }
  return at + length
}

function skipFence(source: string, lineStart: number): number {
  const lineEnd = source.indexOf('\n', lineStart)
  const [opening, fence] = FENCE.exec(source.slice(lineStart, lineEnd < 0 ? undefined : lineEnd)) ?? []
  if (!opening || !fence) return lineStart
  const close = new RegExp(`\\n[ \\t>]*${fence[0]}{${fence.length},}[ \\t]*(?=\\n|$)`, 'g')
  close.lastIndex = lineStart + opening.length
  const found = close.exec(source)
  return found ? found.index + found[0].length : source.length
}

/**
 * Marks stand for parts of a text that are not Markdown: set before parsing, read again in the tree. The brackets count
 * as punctuation, as what they stand for does; the noncharacters inside them are in no honest text.
 */
const OPEN = '⟬\uFDD0'
const CLOSE = '\uFDD1⟭'

/** c: a citation by its place in the list, m: a formula by its place in the block, n: a note by its number. */
type MarkKind = 'c' | 'm' | 'n'

export const markOf = (kind: MarkKind, index: number): string => `${OPEN}${kind}${index}${CLOSE}`

export const splitAtMarks = (text: string): string[] => text.split(/⟬\uFDD0([cmn])(\d{1,6})\uFDD1⟭/)

export const hasMark = (text: string): boolean => text.includes('\uFDD0')

const NONCHARACTERS = /[\uFDD0\uFDD1]/g
const CITATION = /\[REF\]\s*(\d{1,4}(?:[,\s]+\d{1,4}){0,9})\s*\[\/REF\]/g
const LOOSE = /\[\/?REF(?![A-Za-z])\]?/g
const HALF = /[ \t]*\[(?:\/?(?:R(?:E(?:F(?:\](?:[\s\d,]{0,60}(?:\[(?:\/(?:R(?:E(?:F)?)?)?)?)?)?)?)?)?)?)?$/
const MAX_PASSES = 50

/** Marks the citations of a text. A half one at its end waits for the rest while the text grows. */
export function markCitations(text: string, isStreaming: boolean): string {
  let marked = text.replace(NONCHARACTERS, '')
  if (!marked.includes('[')) return marked
  marked = marked.replace(CITATION, (_, places: string) =>
    Array.from(places.matchAll(/\d+/g), ([place]) => markOf('c', Number(place))).join(''),
  )
  if (isStreaming) marked = marked.replace(HALF, '')
  // What is left when a piece is taken out may be one itself.
  for (let pass = 0; pass < MAX_PASSES && marked.search(LOOSE) >= 0; pass++) marked = marked.replace(LOOSE, '')
  return marked.search(LOOSE) < 0 ? marked : marked.replaceAll('[', '')
}

type Maths = typeof import('@/components/markdown/latex-to-mathml')

let loaded: Maths | undefined

export async function loadMaths(): Promise<Maths> {
  if (loaded) return loaded
  const face = import('@/components/markdown/math-face/load-face').then(({ loadFace }) => loadFace())
  const [maths] = await Promise.all([import('@/components/markdown/latex-to-mathml'), face])
  loaded = maths
  return maths
}

export const Formula = memo(function Formula({ latex, isDisplay, source }: FormulaSource) {
  const maths = useMaths()
  const drawn = useMemo(() => maths?.drawMath(latex, isDisplay), [maths, latex, isDisplay])
  if (!drawn)
    return <code title={maths ? t('This formula has a syntax error. Showing its source.') : undefined}>{source}</code>
  if (!isDisplay) return elementOf(drawn, 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span role="group" aria-label={t('Formula')} tabIndex={0} className="formula thin-scroll">
      {elementOf(drawn, 0)}
    </span>
  )
})

function useMaths(): Maths | undefined {
  const [maths, setMaths] = useState(loaded)
  useEffect(() => {
    if (maths) return
    let isGone = false
    loadMaths().then(
      (found) => !isGone && setMaths(found),
      // Offline before it was ever fetched: the source stays.
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [maths])
  return maths
}

function elementOf({ tag, attributes, style, children }: MathElement, key: number): ReactNode {
  const inside = children.map((child, index) => (typeof child === 'string' ? child : elementOf(child, index)))
  return createElement(tag, { ...attributes, style, key }, ...inside)
}
