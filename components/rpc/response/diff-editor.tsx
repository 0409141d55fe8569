'use client'

import { MergeView, unifiedMergeView } from '@codemirror/merge'
import type { Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import type { Comparison } from '@/components/rpc/response/decode/jobs'
import { readOnly } from '@/components/rpc/response/text-editor'
import { codeTheme } from '@/components/ui/code-extensions'
import { t } from '@/lib/i18n/t'

// As the style sheet's `md`.
const WIDE = '(width >= 56.25rem)'
const COLLAPSED = { margin: 3, minSize: 6 }
// The search for the smallest difference ends here, and a larger one is shown.
const DIFF = { scanLimit: 2_000, timeout: 100 }

type DiffEditorProps = { comparison: Comparison; labelA: string; labelB: string }

export function DiffEditor({ comparison, labelA, labelB }: DiffEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const media = window.matchMedia(WIDE)
    let view = open(host.current!, comparison, [labelA, labelB], media.matches)
    const turn = () => {
      view.destroy()
      view = open(host.current!, comparison, [labelA, labelB], media.matches)
    }
    media.addEventListener('change', turn)
    return () => {
      media.removeEventListener('change', turn)
      view.destroy()
    }
  }, [comparison, labelA, labelB])
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <p className="flex gap-4 border-b border-line px-4 py-1.5 text-12 text-ink-2 *:flex-1">
        <span className="before:me-1.5 before:text-danger before:content-['−']">{labelA}</span>
        <span className="before:me-1.5 before:text-ok before:content-['+']">{labelB}</span>
      </p>
      <div ref={host} dir="ltr" className="thin-scroll min-h-0 flex-1 overflow-auto" />
    </div>
  )
}

function open(
  parent: HTMLElement,
  { a, b, firstLine }: Comparison,
  [labelA, labelB]: [string, string],
  isWide: boolean,
): { destroy: () => void } {
  if (isWide) {
    return new MergeView({
      parent,
      a: { doc: a, extensions: extensionsOf(labelA, firstLine) },
      b: { doc: b, extensions: extensionsOf(labelB, firstLine) },
      collapseUnchanged: COLLAPSED,
      diffConfig: DIFF,
    })
  }
  const unified = unifiedMergeView({
    original: a,
    mergeControls: false,
    collapseUnchanged: COLLAPSED,
    diffConfig: DIFF,
  })
  return new EditorView({
    parent,
    doc: b,
    extensions: [extensionsOf(t('{first} and {second}', { first: labelA, second: labelB }), firstLine), unified],
  })
}

function extensionsOf(label: string, firstLine: number): Extension {
  return [
    codeTheme,
    diffTheme,
    readOnly(label),
    EditorView.lineWrapping,
    lineNumbers({ formatNumber: (number) => String(number + firstLine - 1) }),
  ]
}

const REMOVED = 'color-mix(in oklab, var(--color-danger) 12%, transparent)'
const REMOVED_TEXT = 'color-mix(in oklab, var(--color-danger) 26%, transparent)'
const ADDED = 'color-mix(in oklab, var(--color-ok) 12%, transparent)'
const ADDED_TEXT = 'color-mix(in oklab, var(--color-ok) 26%, transparent)'

const diffTheme = EditorView.theme({
  '.cm-lineWrapping': { wordBreak: 'break-all' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk, .cm-deletedLine': { backgroundColor: REMOVED },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine, .cm-insertedLine, &.cm-merge-b .cm-insertedLine, .cm-changedLine':
    { backgroundColor: ADDED },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText, .cm-deletedText': { background: REMOVED_TEXT },
  '&.cm-merge-b .cm-changedText, .cm-changedText': { background: ADDED_TEXT },
  '.cm-changeGutter': { width: '3px' },
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--color-danger)' },
  '&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter': { background: 'var(--color-ok)' },
  '.cm-collapsedLines': {
    background: 'var(--color-sunken)',
    color: 'var(--color-ink-2)',
    border: '0',
    padding: '0.25rem 0.75rem',
    fontFamily: 'var(--font-sans)',
    fontSize: '0.75rem',
  },
})
