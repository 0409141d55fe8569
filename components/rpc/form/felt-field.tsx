'use client'

import { useId } from 'react'
import { shortTextOf } from '@/components/rpc/form/felt-text'
import { FieldFrame, type FieldProps } from '@/components/rpc/form/field-frame'
import { LongText } from '@/components/rpc/form/long-text'
import { readText, textOf } from '@/components/rpc/form/text'
import { useTyped } from '@/components/rpc/form/use-typed'
import type { Type } from '@/components/rpc/methods/types'
import { language } from '@/lib/i18n/language'
import { msg, t } from '@/lib/i18n/t'

const PLACEHOLDERS = {
  address: '0x…',
  hash: '0x…',
  selector: msg('0x… or a name, such as transfer'),
  plain: msg('0x…, 12 or ‘text’ in quotes'),
}

/** Felts up to this are shown in decimal too: larger ones are addresses and hashes. */
const MAX_COUNT_CHARS = 22
/** One digit reads the same in both. */
const MIN_COUNT = 10n

type FeltFieldProps = FieldProps & { type: Type & { kind: 'felt' } }

/** A felt: hexadecimal, decimal, a short text in quotes or, where one is wanted, the name that a selector is made of. */
export function FeltField({ type, ...field }: FeltFieldProps) {
  const { value, onChange } = field
  const id = useId()
  const [text, keep] = useTyped(value, textOf(type, value) ?? '')
  const change = (next: string) => {
    const read = readText(type, next)
    keep(next, read)
    onChange(read)
  }
  return (
    <FieldFrame {...field} id={id} note={noteOf(value, text, type.is)}>
      {(control) => (
        <LongText {...control} value={text} onChange={change} placeholder={t(PLACEHOLDERS[type.is ?? 'plain'])} />
      )}
    </FieldFrame>
  )
}

function noteOf(value: unknown, text: string, is: 'address' | 'hash' | 'selector' | undefined): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]+$/i.test(value)) return ''
  if (text.trim() !== value)
    return is === 'selector' && !/^['"\d]/.test(text)
      ? t('Selector {value}', { value })
      : t('Sent as {value}', { value })
  if (is !== undefined) return ''
  const words = shortTextOf(value)
  const count = value.length <= MAX_COUNT_CHARS ? BigInt(value) : 0n
  return [count >= MIN_COUNT && count.toLocaleString(language()), words && t('‘{words}’ as text', { words })]
    .filter(Boolean)
    .join(' · ')
}
