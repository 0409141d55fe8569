'use client'

import { useId, useState } from 'react'
import { t } from '@/lib/i18n/t'

type NumberFieldProps = {
  label: string
  hint: string
  value: number | undefined
  min: number
  max: number
  isWhole?: boolean
  /** Nothing where the field is empty: then the model decides. */
  onChange: (value: number | undefined) => void
}

/** A number that may be left out. What is no such number is said, and changes nothing. */
export function NumberField({ label, hint, value, min, max, isWhole = false, onChange }: NumberFieldProps) {
  const id = useId()
  const [draft, setDraft] = useState(value === undefined ? '' : String(value))
  const parsed = parseNumber(draft, { min, max, isWhole })
  return (
    <div>
      <label htmlFor={id} className="text-14">
        {label}
      </label>
      <input
        id={id}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        autoComplete="off"
        placeholder={t('Default')}
        value={draft}
        aria-invalid={parsed === 'none'}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          setDraft(event.target.value)
          const next = parseNumber(event.target.value, { min, max, isWhole })
          if (next !== 'none') onChange(next)
        }}
        className="mt-1 min-h-9 w-full rounded-control border border-control bg-surface px-2.5 font-mono text-14 placeholder:font-sans placeholder:text-ink-3 aria-invalid:border-danger pointer-coarse:min-h-11 pointer-coarse:text-16"
      />
      <p id={`${id}-hint`} className={`mt-1 text-12 ${parsed === 'none' ? 'text-danger' : 'text-ink-3'}`}>
        {parsed === 'none' ? t('Enter a number from {min} to {max}.', { min, max }) : hint}
      </p>
    </div>
  )
}

type Bounds = { min: number; max: number; isWhole: boolean }

/** Nothing for an empty field, `none` for what is no number within the bounds. A comma is a point. */
export function parseNumber(text: string, { min, max, isWhole }: Bounds): number | undefined | 'none' {
  const bare = text.trim().replace(',', '.')
  if (bare === '') return undefined
  if (!/^\d+(\.\d*)?$|^\.\d+$/.test(bare)) return 'none'
  const value = Number(bare)
  if (value < min || value > max || (isWhole && !Number.isInteger(value))) return 'none'
  return value
}
