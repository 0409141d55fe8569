'use client'

import type { ClipboardEvent, KeyboardEvent } from 'react'
import type { ControlProps } from '@/components/rpc/form/field-frame'
import { INPUT } from '@/components/rpc/form/look'

/** About what fits into a line where there is little room. */
const CHARS_IN_A_LINE = 36
const MAX_ROWS = 8

type LongTextProps = ControlProps & {
  value: string
  onChange: (text: string) => void
  onPaste?: (event: ClipboardEvent<HTMLTextAreaElement>) => void
  placeholder?: string | undefined
  className?: string
}

/** One value that may be longer than its line: it wraps and can be seen whole. Enter makes no line of its own. */
export function LongText({ value, onChange, className = '', ...control }: LongTextProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.preventDefault()
  }
  const rows = Math.min(MAX_ROWS, Math.max(1, Math.ceil(value.length / CHARS_IN_A_LINE)))
  return (
    <textarea
      {...control}
      value={value}
      dir="auto"
      rows={rows}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      autoCorrect="off"
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
      className={`${INPUT} field-sizing-content max-h-48 resize-none break-all ${className}`}
    />
  )
}
