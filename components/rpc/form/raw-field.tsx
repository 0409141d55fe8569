'use client'

import { useId, useState } from 'react'
import { FieldFrame, type FieldProps } from '@/components/rpc/form/field-frame'
import { printJson, readJson } from '@/components/rpc/form/json-text'
import { LongText } from '@/components/rpc/form/long-text'
import { SMALL_BUTTON } from '@/components/rpc/form/look'
import { t } from '@/lib/i18n/t'

/** Longer values are changed on the other tab. */
const MAX_SHOWN_CHARS = 5_000

/** A value that may be anything, or that is not what its field is for: as JSON. */
export function RawField(field: FieldProps) {
  const { doc, value, onChange } = field
  const id = useId()
  const [draft, setDraft] = useState<{ text: string; printed: string | undefined }>()
  const printed = value === undefined ? '' : printJson(value, 0)
  const isShown = printed !== undefined && printed.length <= MAX_SHOWN_CHARS
  const text = draft && draft.printed === printed ? draft.text : isShown ? printed : ''
  const isUnread = text.trim() !== '' && 'fault' in readJson(text)
  const change = (next: string) => {
    const read = next.trim() === '' ? { value: undefined } : readJson(next)
    if ('fault' in read) {
      setDraft({ text: next, printed })
      return
    }
    setDraft({ text: next, printed: read.value === undefined ? '' : printJson(read.value, 0) })
    onChange(read.value)
  }
  const isExpected = doc.type.kind === 'any' || doc.type.kind === 'null'
  return (
    <FieldFrame
      {...field}
      id={id}
      aside={
        !isExpected && (
          <button type="button" className={SMALL_BUTTON} onClick={() => onChange(undefined)}>
            {t('Clear')}
          </button>
        )
      }
      note={noteOf(isExpected, isShown, isUnread)}
    >
      {(control) => (
        <LongText {...control} value={text} onChange={change} placeholder={isShown ? 'JSON' : t('Too long to show')} />
      )}
    </FieldFrame>
  )
}

function noteOf(isExpected: boolean, isShown: boolean, isUnread: boolean): string {
  if (isUnread) return t('Not valid JSON yet. The last valid value is kept.')
  if (!isShown) return t('The value is too long to show here. It stays unchanged.')
  return isExpected ? 'JSON' : t('The value doesn’t fit this field, so it’s shown as JSON.')
}
