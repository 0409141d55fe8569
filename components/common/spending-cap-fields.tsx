'use client'

import { useState } from 'react'
import { Disclosure } from '@/components/ui/disclosure'
import { TextField } from '@/components/ui/form-fields'
import { usePreference } from '@/lib/browser/preferences'
import { parseCap } from '@/lib/browser/spending-cap'
import { t } from '@/lib/i18n/t'

export function Caps() {
  const [isOpen, setIsOpen] = useState(false)
  const [perMessage] = usePreference('capPerMessage')
  const [perDay] = usePreference('capPerDay')
  return (
    <div className="mt-5 border-t border-line pt-2">
      <Disclosure
        label={capsLine(perMessage, perDay)}
        isOpen={isOpen}
        onToggle={() => setIsOpen(!isOpen)}
        className="min-h-9 text-13 text-ink-3"
        contentClassName="pt-2"
      >
        <CapFields />
      </Disclosure>
    </div>
  )
}

function capsLine(perMessage: string, perDay: string): string {
  if (perMessage && perDay) {
    return t('Spending caps: {perMessage} per message, {perDay} per day', {
      perMessage: `$${perMessage}`,
      perDay: `$${perDay}`,
    })
  }
  if (perMessage) return t('Spending caps: {amount} per message', { amount: `$${perMessage}` })
  return perDay ? t('Spending caps: {amount} per day', { amount: `$${perDay}` }) : t('Spending caps: none')
}

export function CapFields() {
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-3">
        <CapField name="capPerMessage" label={t('Per message')} />
        <CapField name="capPerDay" label={t('Per day')} />
      </div>
      <p className="text-13 text-ink-3">
        {t(
          'Saved in this browser. Long answers are cut off at the per-message cap. The daily cap resets at midnight on this device; an answer that reaches it still finishes.',
        )}
      </p>
    </div>
  )
}

type CapFieldProps = { name: 'capPerMessage' | 'capPerDay'; label: string; hasFocus?: boolean }

export function CapField({ name, label, hasFocus = false }: CapFieldProps) {
  const [stored, setStored] = usePreference(name)
  const [typed, setTyped] = useState(stored)
  const isWrong = typed.trim() !== '' && parseCap(typed) === undefined
  const change = (text: string) => {
    setTyped(text)
    if (text.trim() === '' || parseCap(text) !== undefined)
      setStored(
        text
          .trim()
          .replace(/^\$\s*/, '')
          .replace(',', '.'),
      )
  }
  return (
    <div className="min-w-32 flex-1">
      <TextField
        label={label}
        unit="$"
        isNumber
        isFirst={hasFocus}
        maxLength={12}
        placeholder={t('off')}
        value={typed}
        onChange={change}
        fault={
          isWrong
            ? t('Enter dollars with at most four decimals, such as 0.05 or 5. Leave empty for no cap.')
            : undefined
        }
      />
    </div>
  )
}
