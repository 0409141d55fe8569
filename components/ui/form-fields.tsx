'use client'

import { ChevronDown } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { t } from '@/lib/i18n/t'

const CONTROL =
  'block min-h-10 w-full min-w-0 rounded-control border border-control bg-surface px-3 text-14 placeholder:text-ink-3 ' +
  'aria-invalid:border-danger pointer-coarse:min-h-11 pointer-coarse:text-16'

type TextFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  fault?: string | undefined
  hint?: string
  unit?: string
  /** Lines of text; without it the field is one line. */
  rows?: number
  isNumber?: boolean
  /** An address, or a name for machines: from left to right, and not corrected. */
  isCode?: boolean
  /** A secret: hidden, and no browser is asked to keep it. */
  isSecret?: boolean
  isFirst?: boolean
  isRequired?: boolean
  note?: ReactNode
  maxLength?: number
  placeholder?: string
}

export function TextField({
  label,
  onChange,
  fault,
  hint,
  unit,
  rows,
  isNumber = false,
  isCode = false,
  isSecret = false,
  isFirst = false,
  isRequired = false,
  note,
  ...rest
}: TextFieldProps) {
  const id = useId()
  const control = {
    ...rest,
    id,
    dir: isNumber || isCode || isSecret ? 'ltr' : 'auto',
    required: isRequired,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault ? `${id}-fault` : hint && `${id}-hint`,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  return (
    <div className="min-w-0 flex-1">
      <label htmlFor={id} className="mb-1 block text-13 font-medium text-ink-2">
        {label}
      </label>
      {/* The unit stands before the digits in every language. */}
      <span dir={unit && 'ltr'} className="relative block">
        {unit && (
          <span aria-hidden="true" className="absolute inset-y-0 start-3 flex items-center text-14 text-ink-3">
            {unit}
          </span>
        )}
        {rows ? (
          <textarea {...control} rows={rows} className={`${CONTROL} thin-scroll resize-y py-2`} />
        ) : (
          <input
            {...control}
            type={isSecret ? 'password' : 'text'}
            inputMode={isNumber ? 'decimal' : 'text'}
            {...((isCode || isSecret) && { autoCapitalize: 'off', spellCheck: false })}
            autoComplete="off"
            // biome-ignore lint/a11y/noAutofocus: the person just asked for this form
            autoFocus={isFirst}
            className={`${CONTROL} ${unit ? 'ps-7' : ''} ${isNumber || isCode ? 'font-mono tabular-nums' : ''}`}
          />
        )}
      </span>
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-12 text-ink-3">
          {hint}
        </p>
      )}
      <p id={`${id}-fault`} className="mt-1 text-13 text-danger empty:hidden">
        {fault}
      </p>
      {note}
    </div>
  )
}

type SelectFieldProps = {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
  note?: ReactNode
}

export function SelectField({ label, value, options, onChange, note }: SelectFieldProps) {
  const id = useId()
  return (
    <div className="min-w-0 flex-1 basis-44">
      <label htmlFor={id} className="mb-1 block text-13 font-medium text-ink-2">
        {label}
      </label>
      <Select
        id={id}
        value={value}
        options={options}
        onChange={onChange}
        className={`${CONTROL} appearance-none pe-8`}
      />
      {note}
    </div>
  )
}

type NumberFieldProps = {
  label: string
  hint: string
  value: number | undefined
  min: number
  max: number
  isWhole?: boolean
  onChange: (value: number | undefined) => void
}

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

export function parseNumber(text: string, { min, max, isWhole }: Bounds): number | undefined | 'none' {
  const bare = text.trim().replace(',', '.')
  if (bare === '') return undefined
  if (!/^\d+(\.\d*)?$|^\.\d+$/.test(bare)) return 'none'
  const value = Number(bare)
  if (value < min || value > max || (isWhole && !Number.isInteger(value))) return 'none'
  return value
}

type SelectProps = Omit<ComponentProps<'select'>, 'onChange' | 'children'> & {
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}

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
