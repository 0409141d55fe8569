'use client'

import { useId } from 'react'
import { stringToHex } from 'viem/utils'
import { FieldFrame, type FieldProps } from '@/components/rpc/form/field-frame'
import { LongText } from '@/components/rpc/form/long-text'
import { SMALL_BUTTON } from '@/components/rpc/form/look'
import { readText, textOf } from '@/components/rpc/form/text'
import type { Type } from '@/components/rpc/methods/types'
import { plural, t } from '@/lib/i18n/t'

/** Longer texts are no words that somebody typed. */
const MAX_WORDS_CHARS = 10_000

type DataFieldProps = FieldProps & { type: Type & { kind: 'data' | 'hash' } }

/** Bytes in hexadecimal, with their number; words that are typed instead can be turned into them. */
export function DataField({ type, ...field }: DataFieldProps) {
  const { value, onChange } = field
  const id = useId()
  const isFree = type.kind === 'data' && type.bytes === undefined && type.maxBytes === undefined
  const text = textOf(type, value) ?? ''
  const isWords = isFree && text !== '' && !/^(0x)?[0-9a-f]*$/i.test(text) && text.length <= MAX_WORDS_CHARS
  return (
    <FieldFrame
      {...field}
      id={id}
      note={
        isFree && (
          <span className="flex flex-wrap items-center gap-x-2">
            <span>{sizeOf(text)}</span>
            {isWords && (
              <button type="button" className={`${SMALL_BUTTON} -my-1`} onClick={() => onChange(stringToHex(text))}>
                {t('Convert text to hex')}
              </button>
            )}
          </span>
        )
      }
    >
      {(control) => (
        <LongText
          {...control}
          value={text}
          onChange={(next) => onChange(isFree ? wordsOr(next, readText(type, next)) : readText(type, next))}
          placeholder={type.kind === 'hash' ? t('0x and 64 digits') : '0x…'}
        />
      )}
    </FieldFrame>
  )
}

/** Spaces go from hexadecimal digits only: words keep theirs. */
const wordsOr = (text: string, value: unknown): unknown => (/^\s*(0x)?[0-9a-f\s]*$/i.test(text) ? value : text)

function sizeOf(text: string): string {
  if (!/^0x([0-9a-f]{2})*$/i.test(text)) return ''
  const bytes = text.length / 2 - 1
  if (bytes === 0) return t('Empty.')
  if (bytes % 32 !== 4) return plural(bytes, { one: '{count} byte', other: '{count} bytes' })
  const selector = text.slice(0, 10)
  return plural(
    bytes,
    { one: '{count} byte, selector {selector}', other: '{count} bytes, selector {selector}' },
    { selector },
  )
}
