'use client'

import { Search } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'

const PAGE = 8

export function useActiveOption(ids: readonly string[], initial?: string) {
  const [wanted, setWanted] = useState(initial)
  const active = wanted !== undefined && ids.includes(wanted) ? wanted : ids[0]
  return {
    active,
    set: setWanted,
    move: (by: number) => {
      if (active === undefined) return
      setWanted(ids[Math.max(0, Math.min(ids.length - 1, ids.indexOf(active) + by))])
    },
  }
}

type ComboboxFieldProps = {
  label: string
  placeholder: string
  listId: string
  activeId: string | undefined
  value: string
  onChange: (value: string) => void
  onMove: (by: number) => void
  onPick: () => void
  children?: React.ReactNode
  className?: string
}

export function ComboboxField(props: ComboboxFieldProps) {
  const {
    label,
    placeholder,
    listId,
    activeId,
    value,
    onChange,
    onMove,
    onPick,
    children,
    className = 'text-14',
  } = props
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      onMove(step)
    }
    // While an input method composes, Enter picks a word.
    if (event.key === 'Enter' && activeId !== undefined && !event.nativeEvent.isComposing) {
      event.preventDefault()
      onPick()
    }
  }
  return (
    <div className="flex items-center gap-2 border-b border-line px-3">
      <Search aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
      <input
        role="combobox"
        dir="auto"
        aria-label={label}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={activeId}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className={`min-h-11 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-3 pointer-coarse:text-16 ${className}`}
      />
      {children}
    </div>
  )
}
