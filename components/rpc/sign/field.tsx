'use client'

import { type ComponentProps, useId } from 'react'

type FieldProps = Omit<ComponentProps<'input'>, 'onChange'> & {
  label: string
  hint?: string
  fault?: string | undefined
  unit?: string
  onChange: (value: string) => void
}

/** A line to write in, with what is wrong with it below. */
export function Field({ label, hint, fault, unit, onChange, ...props }: FieldProps) {
  const id = useId()
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-13 font-medium">
        {label}
      </label>
      <div className="flex items-center rounded-control border border-control bg-surface focus-within:border-accent has-aria-invalid:border-danger">
        <input
          id={id}
          dir="auto"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={`${id}-note`}
          onChange={(event) => onChange(event.target.value)}
          className="h-10 min-w-0 flex-1 bg-transparent px-3 font-mono text-13 outline-none pointer-coarse:h-11 pointer-coarse:text-16"
          {...props}
        />
        {unit && <span className="shrink-0 pe-3 text-13 text-ink-3">{unit}</span>}
      </div>
      <p id={`${id}-note`} className={`mt-1 text-13 empty:hidden ${fault ? 'text-danger' : 'text-ink-3'}`}>
        {fault ?? hint}
      </p>
    </div>
  )
}

/** What went wrong in a step, in words. */
export function Fault({ text }: { text: string | undefined }) {
  return (
    <p role="alert" className="mt-3 text-13 wrap-anywhere text-danger empty:hidden">
      {text}
    </p>
  )
}
