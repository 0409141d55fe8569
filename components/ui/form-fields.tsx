'use client'

import { type ReactNode, useId } from 'react'
import { Select } from '@/components/ui/select'

const CONTROL =
  'block min-h-10 w-full min-w-0 rounded-control border border-control bg-surface px-3 text-14 placeholder:text-ink-3 ' +
  'aria-invalid:border-danger pointer-coarse:min-h-11 pointer-coarse:text-16'

type TextFieldProps = {
  label: string
  value: string
  onChange: (value: string) => void
  fault?: string | undefined
  /** Stands in front of what is typed. */
  unit?: string
  isNumber?: boolean
  isFirst?: boolean
  maxLength?: number
  placeholder?: string
}

/** One line that is typed in, with what is wrong with it. */
export function TextField({
  label,
  value,
  onChange,
  fault,
  unit,
  isNumber = false,
  isFirst = false,
  ...rest
}: TextFieldProps) {
  const id = useId()
  return (
    <div className="min-w-0 flex-1">
      <label htmlFor={id} className="mb-1 block text-13 font-medium text-ink-2">
        {label}
      </label>
      <span className="relative block">
        {unit && (
          <span aria-hidden="true" className="absolute inset-y-0 start-3 flex items-center text-14 text-ink-3">
            {unit}
          </span>
        )}
        <input
          {...rest}
          id={id}
          dir={isNumber ? 'ltr' : 'auto'}
          inputMode={isNumber ? 'decimal' : 'text'}
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: the person just asked for this form
          autoFocus={isFirst}
          value={value}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && `${id}-fault`}
          onChange={(event) => onChange(event.target.value)}
          className={`${CONTROL} ${unit ? 'ps-7' : ''} ${isNumber ? 'font-mono tabular-nums' : ''}`}
        />
      </span>
      <p id={`${id}-fault`} className="mt-1 text-13 text-danger empty:hidden">
        {fault}
      </p>
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
