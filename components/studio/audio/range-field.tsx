'use client'

import { useId } from 'react'

type RangeFieldProps = {
  label: string
  value: number
  least: number
  most: number
  step: number
  /** The value as it stands beside the name. */
  shown: string
  onChange: (value: number) => void
}

/** A number between two others. */
export function RangeField({ label, value, least, most, step, shown, onChange }: RangeFieldProps) {
  const id = useId()
  return (
    <div>
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-13 font-medium text-ink-2">
          {label}
        </label>
        <output htmlFor={id} className="font-mono text-12 text-ink-2 tabular-nums">
          {shown}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={least}
        max={most}
        step={step}
        value={value}
        aria-valuetext={shown}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className="mt-1 block h-6 w-full cursor-pointer pointer-coarse:h-11"
      />
    </div>
  )
}
