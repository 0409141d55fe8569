'use client'

import { Search } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'

/** How far Page Up and Page Down go. */
const PAGE = 8

/** Which option the arrows are at: the one wanted last while it is there, else the first. */
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
  /** Its name, and what stands in it while it is empty. */
  label: string
  placeholder: string
  /** The list box below it, and the option there that the arrows are at. */
  listId: string
  activeId: string | undefined
  value: string
  onChange: (value: string) => void
  onMove: (by: number) => void
  /** Enter was pressed. */
  onPick: () => void
  /** Sits at its end. */
  children?: React.ReactNode
  className?: string
}

/** The search field of a list box. The focus stays in it: type, move with the arrows, Enter picks. */
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
