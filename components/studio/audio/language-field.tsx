'use client'

import { useMemo } from 'react'
import { SelectField } from '@/components/ui/form-fields'
import { language } from '@/lib/i18n/language'

/** Those that most models know; a model is asked in any of them. ISO 639-1. */
const LANGUAGES =
  'ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv sw ta th tr uk ur vi zh'

type LanguageFieldProps = { label: string; unset: string; value: string; onChange: (code: string) => void }

/** A language, by its name in the reader's own. */
export function LanguageField({ label, unset, value, onChange }: LanguageFieldProps) {
  const tag = language()
  const options = useMemo(() => {
    const names = new Intl.DisplayNames([tag], { type: 'language' })
    const named = LANGUAGES.split(' ').map((code) => ({ value: code, label: names.of(code) ?? code }))
    return named.sort((one, other) => one.label.localeCompare(other.label, tag))
  }, [tag])
  return (
    <SelectField label={label} value={value} options={[{ value: '', label: unset }, ...options]} onChange={onChange} />
  )
}
