'use client'

import { Switch } from 'radix-ui'
import { useId } from 'react'

type ToggleProps = { label: string; hint: string; isOn: boolean; onChange: (isOn: boolean) => void }

export function Toggle({ label, hint, isOn, onChange }: ToggleProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="text-14">
          {label}
        </label>
        <p id={`${id}-hint`} className="text-12 text-ink-3">
          {hint}
        </p>
      </div>
      <Switch.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        aria-describedby={`${id}-hint`}
        className="relative h-6 w-10 shrink-0 rounded-chip border border-control bg-sunken transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent pointer-coarse:h-7 pointer-coarse:w-12"
      >
        <Switch.Thumb className="absolute start-0.5 top-1/2 size-4 -translate-y-1/2 rounded-chip bg-control transition-all data-[state=checked]:start-[calc(100%-1.125rem)] data-[state=checked]:bg-on-accent" />
      </Switch.Root>
    </div>
  )
}
