'use client'

import dynamic from 'next/dynamic'
import type { CodeEditorProps } from '@/components/ui/code-view'

const DEFAULT_MIN_LINES = 3
const DEFAULT_MAX_LINES = 20
const LINE_REM = 1.25
const PADDING_REM = 1

const CodeView = dynamic(() => import('@/components/ui/code-view').then((module) => module.CodeView), { ssr: false })

export function CodeEditor({
  minLines = DEFAULT_MIN_LINES,
  maxLines = DEFAULT_MAX_LINES,
  isReadOnly = false,
  ...props
}: CodeEditorProps) {
  const lines = Math.min(maxLines, Math.max(minLines, countLines(props.value, maxLines)))
  return (
    <div
      className="grid rounded-control border border-control bg-sunken focus-within:border-accent"
      style={{ minHeight: `${lines * LINE_REM + PADDING_REM}rem` }}
    >
      <CodeView {...props} {...{ minLines, maxLines, isReadOnly }} />
    </div>
  )
}

function countLines(text: string, limit: number): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1 && count < limit; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
