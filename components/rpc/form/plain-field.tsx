'use client'

import { useId } from 'react'
import { FieldFrame, type FieldProps } from '@/components/rpc/form/field-frame'
import { LongText } from '@/components/rpc/form/long-text'
import { INPUT } from '@/components/rpc/form/look'
import { readText, textOf } from '@/components/rpc/form/text'
import { useTyped } from '@/components/rpc/form/use-typed'
import type { Type } from '@/components/rpc/methods/types'
import { t } from '@/lib/i18n/t'

type PlainFieldProps = FieldProps & { type: Type & { kind: 'number' | 'text' } }

/** A number of JSON, or text. */
export function PlainField({ type, ...field }: PlainFieldProps) {
  const { doc, value, onChange } = field
  const id = useId()
  const [text, keep] = useTyped(value, textOf(type, value) ?? '')
  const change = (next: string) => {
    const read = next === '' && !doc.isRequired ? undefined : readText(type, next)
    keep(next, read)
    onChange(read)
  }
  return (
    <FieldFrame {...field} id={id}>
      {(control) =>
        type.kind === 'text' ? (
          <LongText {...control} value={text} onChange={change} />
        ) : (
          <input
            {...control}
            dir="auto"
            value={text}
            onChange={(event) => change(event.target.value)}
            inputMode={type.isWhole ? 'numeric' : 'decimal'}
            autoComplete="off"
            placeholder={doc.default === undefined ? undefined : t('Default: {value}', { value: String(doc.default) })}
            className={INPUT}
          />
        )
      }
    </FieldFrame>
  )
}
