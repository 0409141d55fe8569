'use client'

import { useId } from 'react'
import { FieldFrame, type FieldProps } from '@/components/rpc/form/field-frame'
import { useForm } from '@/components/rpc/form/form-context'
import { Select } from '@/components/rpc/form/select'
import type { Type } from '@/components/rpc/methods/types'
import { t } from '@/lib/i18n/t'

const NOT_SET = ''

type ChoiceFieldProps = FieldProps & { type: Type & { kind: 'choice' } }

/** One of a few values. */
export function ChoiceField({ type, ...field }: ChoiceFieldProps) {
  const { doc, value, onChange } = field
  const id = useId()
  const chosen = type.options.findIndex((option) => option.value === value)
  const options = type.options.map(({ label }, index) => ({ value: String(index), label }))
  const isOpen = !doc.isRequired || chosen < 0
  return (
    <FieldFrame {...field} id={id}>
      {(control) => (
        <Select
          {...control}
          value={chosen < 0 ? NOT_SET : String(chosen)}
          options={isOpen ? [{ value: NOT_SET, label: t('Not set') }, ...options] : options}
          onChange={(next) => onChange(next === NOT_SET ? undefined : type.options[Number(next)]?.value)}
        />
      )}
    </FieldFrame>
  )
}

const PILL =
  'inline-flex min-h-9 items-center justify-center rounded-control border border-control px-3.5 text-14 transition-colors ' +
  'hover:border-ink-2 has-checked:border-accent has-checked:bg-accent-soft has-checked:text-ink pointer-coarse:min-h-11 ' +
  'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent'

/** Yes or no; also neither, where it may be left out. */
export function BooleanField(field: FieldProps) {
  const { doc, value, onChange } = field
  const id = useId()
  const problems = useForm().problemsAt(field.path)
  const choices: [label: string, value: boolean | undefined][] = [
    ...(doc.isRequired ? [] : [[t('Not set'), undefined] as [string, undefined]]),
    [t('No'), false],
    [t('Yes'), true],
  ]
  return (
    <FieldFrame {...field} id={id}>
      {(control) => (
        <div
          role="radiogroup"
          id={control.id}
          aria-label={doc.label}
          aria-describedby={control['aria-describedby']}
          aria-invalid={problems.length > 0}
          aria-required={doc.isRequired}
          className="flex flex-wrap gap-1.5"
        >
          {choices.map(([label, choice]) => (
            <label key={label} className={PILL}>
              <input
                type="radio"
                name={id}
                className="sr-only"
                checked={(value ?? undefined) === choice}
                onChange={() => onChange(choice)}
              />
              {label}
            </label>
          ))}
        </div>
      )}
    </FieldFrame>
  )
}
