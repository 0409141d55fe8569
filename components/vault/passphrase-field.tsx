'use client'

import { type RefObject, useId } from 'react'

type PassphraseFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  /** The browser's own keeper of passwords: one that exists, or one that is being made. */
  isNew?: boolean
  isDisabled?: boolean
  /** Said below it, and to those who do not see it. */
  hint?: string
  inputRef?: RefObject<HTMLInputElement | null>
}

/** A field for words that are not shown. */
export function PassphraseField({ label, value, onChange, isNew, isDisabled, hint, inputRef }: PassphraseFieldProps) {
  const id = useId()
  return (
    <div className="mt-3">
      <label htmlFor={id} className="text-13 text-ink-2">
        {label}
      </label>
      <input
        ref={inputRef}
        id={id}
        type="password"
        value={value}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        spellCheck={false}
        disabled={isDisabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.value)}
        className="mt-1 block min-h-10 w-full rounded-control border border-control bg-surface px-3 text-14 disabled:opacity-55 pointer-coarse:min-h-11 pointer-coarse:text-16"
      />
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-13 text-ink-2">
          {hint}
        </p>
      )}
    </div>
  )
}
