'use client'

import { useId } from 'react'
import type { KeyType } from '@/lib/browser/account-data'
import { msg, t } from '@/lib/i18n/t'

const TYPES: readonly { id: KeyType; name: string; about: string }[] = [
  { id: 'INFERENCE', name: msg('Inference'), about: msg('Calls models and networks. Right for most apps.') },
  {
    id: 'ADMIN',
    name: msg('Admin'),
    about: msg('Also manages keys and reads billing. Anyone who has it can create more keys.'),
  },
]

/** What a key may do; it cannot be changed later. */
export function TypeChoice({ value, onChange }: { value: KeyType; onChange: (type: KeyType) => void }) {
  const name = useId()
  return (
    <fieldset>
      <legend className="mb-1 text-13 font-medium text-ink-2">{t('Permissions')}</legend>
      <div className="divide-y divide-line rounded-card border border-line">
        {TYPES.map((type) => (
          <label
            key={type.id}
            className="flex cursor-pointer items-start gap-3 px-3 py-2.5 has-checked:bg-accent-soft first:rounded-t-card last:rounded-b-card"
          >
            <input
              type="radio"
              name={name}
              checked={value === type.id}
              onChange={() => onChange(type.id)}
              className="mt-0.5 size-4 shrink-0"
            />
            <span>
              <span className="block text-14 font-medium">{t(type.name)}</span>
              <span className="block text-13 text-ink-2">{t(type.about)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
