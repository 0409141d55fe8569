'use client'

import { ChevronDown } from 'lucide-react'
import type { ControlProps } from '@/components/rpc/form/field-frame'
import { SELECT } from '@/components/rpc/form/look'

type SelectProps = Partial<ControlProps> & {
  /** Its name where no label stands by it. */
  label?: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
  className?: string
}

/** The system’s own menu, which everybody knows on every device. */
export function Select({ label, value, options, onChange, className = '', ...control }: SelectProps) {
  return (
    <span className={`relative block ${className}`}>
      <select
        {...control}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={SELECT}
      >
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
