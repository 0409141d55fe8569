'use client'

import { RadioChips } from '@/components/ui/radio-chips'

type ChoiceProps<T extends string> = {
  /** Its name for those who do not see the words beside it. */
  label: string
  options: readonly { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
}

/** A few ways, one of which holds: chosen with a click or with the arrows, and in force at once. */
export function Choice<T extends string>({ label, ...chips }: ChoiceProps<T>) {
  return (
    <fieldset className="flex flex-wrap gap-1 rounded-control">
      <legend className="sr-only">{label}</legend>
      <RadioChips {...chips} className="px-3" />
    </fieldset>
  )
}
