'use client'

import { useId, useState } from 'react'

type LineFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  maxLength: number
  placeholder?: string
  /** Lines that it shows; one for a single line. */
  rows?: number
}

/** Words that are kept as they are typed. */
export function LineField({ label, value, onChange, maxLength, placeholder, rows = 1 }: LineFieldProps) {
  const id = useId()
  const [typed, setTyped] = useState(value)
  const change = (text: string) => {
    setTyped(text)
    onChange(text)
  }
  const look =
    'w-full rounded-control border border-control bg-surface px-3 py-2 text-14 placeholder:text-ink-3 focus-visible:border-accent pointer-coarse:text-16'
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-13 font-medium text-ink-2">
        {label}
      </label>
      {rows === 1 ? (
        <input
          id={id}
          dir="auto"
          autoComplete="off"
          maxLength={maxLength}
          placeholder={placeholder}
          value={typed}
          onChange={(event) => change(event.target.value)}
          className={`${look} min-h-11`}
        />
      ) : (
        <textarea
          id={id}
          dir="auto"
          rows={rows}
          maxLength={maxLength}
          placeholder={placeholder}
          value={typed}
          onChange={(event) => change(event.target.value)}
          className={`${look} thin-scroll resize-y`}
        />
      )}
    </div>
  )
}
