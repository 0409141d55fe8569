'use client'

import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'

export type SelectProps = Omit<ComponentProps<'select'>, 'onChange' | 'children'> & {
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

/** The system’s own menu, which everybody knows on every device. `className` is the look of the control itself. */
export function Select({ options, onChange, ...control }: SelectProps) {
  return (
    <span className="relative block">
      <select {...control} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden="true"
        className="pointer-events-none absolute inset-e-2.5 top-1/2 size-4 -translate-y-1/2 text-ink-3"
        strokeWidth={1.5}
      />
    </span>
  )
}
