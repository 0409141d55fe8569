'use client'

import { type ReactNode, useId } from 'react'

type RadioChipsProps<T extends string> = {
  options: readonly { value: T; label: string; icon?: ReactNode; title?: string }[]
  value: T
  onChange: (value: T) => void
  className: string
}

export function RadioChips<T extends string>({ options, value, onChange, className }: RadioChipsProps<T>) {
  const name = useId()
  return options.map((option) => (
    <label
      key={option.value}
      title={option.title}
      className={`inline-flex min-h-9 items-center rounded-control border border-line bg-surface text-14 text-ink-2 hover:border-control has-checked:border-accent has-checked:bg-accent-soft has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent pointer-coarse:min-h-11 forced-colors:has-checked:outline-2 ${className}`}
    >
      <input
        type="radio"
        name={name}
        value={option.value}
        checked={value === option.value}
        onChange={() => onChange(option.value)}
        className="sr-only"
      />
      {option.icon}
      {option.label}
    </label>
  ))
}

type ChoiceProps<T extends string> = {
  label: string
  options: readonly { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
}

export function Choice<T extends string>({ label, ...chips }: ChoiceProps<T>) {
  return (
    <fieldset className="flex flex-wrap gap-1 rounded-control">
      <legend className="sr-only">{label}</legend>
      <RadioChips {...chips} className="px-3" />
    </fieldset>
  )
}
