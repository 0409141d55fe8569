'use client'

import { useRef, useState } from 'react'

type NameFieldProps = { label: string; name: string; maxChars: number; onDone: (name?: string) => void }

export function NameField({ label, name: before, maxChars, onDone }: NameFieldProps) {
  const [name, setName] = useState(before)
  const isDone = useRef(false)
  const end = (next?: string) => {
    // Leaving by a key takes the focus away, too.
    if (isDone.current) return
    isDone.current = true
    const trimmed = next?.trim()
    onDone(trimmed && trimmed !== before ? trimmed : undefined)
  }
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the person just asked to change this name
      autoFocus
      aria-label={label}
      dir="auto"
      value={name}
      maxLength={maxChars}
      onChange={(event) => setName(event.target.value)}
      onFocus={(event) => event.target.select()}
      onBlur={() => end(name)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) end(name)
        if (event.key === 'Escape') {
          event.preventDefault()
          event.stopPropagation()
          end()
        }
      }}
      className="min-h-9 w-full rounded-control border border-control bg-surface px-2 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16"
    />
  )
}
