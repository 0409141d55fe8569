'use client'

import type { FieldProps } from '@/components/rpc/form/field-frame'
import { GroupFrame } from '@/components/rpc/form/group-frame'
import type { ChoiceOption, Type } from '@/components/rpc/methods/types'

type ListType = Type & { kind: 'list' }

/** Whether a list is a set of choices, each there or not. */
export function isFlags(type: ListType, value: unknown): boolean {
  if (type.of.kind !== 'choice') return false
  const { options } = type.of
  const entries: unknown[] = Array.isArray(value) ? value : []
  return (
    new Set(entries).size === entries.length && entries.every((entry) => options.some((each) => each.value === entry))
  )
}

type FlagsFieldProps = FieldProps & { type: ListType }

/** Several of a few values. */
export function FlagsField({ type, ...field }: FlagsFieldProps) {
  const { value, onChange } = field
  const options: readonly ChoiceOption[] = type.of.kind === 'choice' ? type.of.options : []
  const chosen: unknown[] = Array.isArray(value) ? value : []
  const toggle = (option: ChoiceOption, isOn: boolean) =>
    onChange(isOn ? [...chosen, option.value] : chosen.filter((entry) => entry !== option.value))
  return (
    <GroupFrame {...field}>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {options.map((option) => (
          <label key={option.label} className="flex min-h-9 items-center gap-2 text-14 pointer-coarse:min-h-11">
            <input
              type="checkbox"
              className="size-4 pointer-coarse:size-5"
              checked={chosen.includes(option.value)}
              onChange={(event) => toggle(option, event.target.checked)}
            />
            <span lang="en" dir="ltr">
              {option.label}
            </span>
          </label>
        ))}
      </div>
    </GroupFrame>
  )
}
