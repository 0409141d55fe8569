'use client'

import { useState } from 'react'
import { Field } from '@/components/rpc/form/field'
import type { FieldProps } from '@/components/rpc/form/field-frame'
import { GroupFrame } from '@/components/rpc/form/group-frame'
import { Select } from '@/components/rpc/form/select'
import { emptyOf } from '@/components/rpc/form/value'
import type { Type, Variant } from '@/components/rpc/methods/types'
import { hasShape, variantOf } from '@/components/rpc/methods/variants'
import { t } from '@/lib/i18n/t'

type UnionFieldProps = FieldProps & { type: Type & { kind: 'union' } }

/** A value of one of several kinds. Going to another kind and back finds what was there. */
export function UnionField({ type, ...field }: UnionFieldProps) {
  const { doc, path, value, onChange } = field
  const { variants } = type
  const [kept] = useState(() => new Map<Variant, unknown>())
  const [picked, setPicked] = useState<Variant>()
  const variant = picked && hasShape(picked.type, value) ? picked : variantOf(variants, value)
  const isNothing = value === undefined || (value === null && variant === undefined)
  const pick = (label: string) => {
    const next = variants.find((each) => each.label === label)
    if (!next) return
    if (variant) kept.set(variant, value)
    setPicked(next)
    onChange(kept.has(next) ? kept.get(next) : carried(next.type, value))
  }
  const frame = isNothing ? field : { ...field, value: value ?? NULL_IS_THERE }
  return (
    <GroupFrame
      {...frame}
      hidesProblems={variant !== undefined && variant.type.kind !== 'null'}
      aside={
        <Select
          label={t('{field} type', { field: doc.label })}
          value={variant?.label ?? ''}
          options={variants.map(({ label }) => ({ value: label, label }))}
          onChange={pick}
          className="max-w-60"
        />
      }
    >
      {variant && variant.type.kind !== 'null' && (
        <Field
          key={variant.label}
          doc={{ name: doc.name, label: doc.label, type: variant.type, isRequired: true }}
          path={path}
          value={value}
          onChange={onChange}
          isEntry
        />
      )}
    </GroupFrame>
  )
}

/** For the frame: null is a value of this field, not its absence. */
const NULL_IS_THERE = {}

/** One value becomes the first of several, and the first of several the one. */
function carried(type: Type, value: unknown): unknown {
  if (type.kind === 'list' && hasShape(type.of, value) && value !== '') return [value]
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  return first !== undefined && hasShape(type, first) ? first : emptyOf(type)
}
