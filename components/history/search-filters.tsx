'use client'

import type { ReactNode } from 'react'
import type { SearchFilters } from '@/lib/browser/search/hits'
import type { Folder } from '@/lib/browser/storage/records'
import { msg, t } from '@/lib/i18n/t'

const DAY_MS = 86_400_000
const DAYS = [
  { value: '', label: msg('Any time') },
  { value: '1', label: msg('Last day') },
  { value: '7', label: msg('Last 7 days') },
  { value: '30', label: msg('Last 30 days') },
  { value: '365', label: msg('Last year') },
]

type SearchFilterRowProps = {
  filters: SearchFilters
  onChange: (filters: SearchFilters) => void
  folders: readonly Folder[]
  tags: readonly string[]
  models: readonly string[]
}

/** What a search is narrowed to. What there is nothing of is not offered. */
export function SearchFilterRow({ filters, onChange, folders, tags, models }: SearchFilterRowProps) {
  const { role, modelId, folderId, tag, from } = filters
  const today = new Date().setHours(0, 0, 0, 0)
  const days = DAYS.find(({ value }) => value !== '' && today - Number(value) * DAY_MS === from)?.value ?? ''
  // An empty choice takes the filter away.
  const put = (name: keyof SearchFilters, value: string | number | undefined) => {
    const { [name]: _, ...others } = filters
    onChange(value === undefined || value === '' ? others : { ...others, [name]: value })
  }
  return (
    <div className="thin-scroll flex gap-1 overflow-x-auto py-1">
      <Choice label={t('Sender')} value={role ?? ''} onPick={(value) => put('role', value)}>
        <option value="">{t('Anyone')}</option>
        <option value="user">{t('You')}</option>
        <option value="assistant">{t('Models')}</option>
      </Choice>
      <Choice label={t('Date')} value={days} onPick={(value) => put('from', value && today - Number(value) * DAY_MS)}>
        {DAYS.map(({ value, label }) => (
          <option key={value} value={value}>
            {t(label)}
          </option>
        ))}
      </Choice>
      {folders.length > 0 && (
        <Choice label={t('Folder')} value={folderId ?? ''} onPick={(value) => put('folderId', value)}>
          <option value="">{t('All folders')}</option>
          {folders.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      {tags.length > 0 && (
        <Choice label={t('Tag')} value={tag ?? ''} onPick={(value) => put('tag', value)}>
          <option value="">{t('All tags')}</option>
          {tags.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      {models.length > 1 && (
        <Choice label={t('Model')} value={modelId ?? ''} onPick={(value) => put('modelId', value)}>
          <option value="">{t('All models')}</option>
          {models.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Choice>
      )}
    </div>
  )
}

type ChoiceProps = { label: string; value: string; onPick: (value: string) => void; children: ReactNode }

function Choice({ label, value, onPick, children }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onPick(event.target.value)}
      className={`min-h-7 max-w-32 shrink-0 rounded-chip border bg-surface px-2 text-12 hover:border-control pointer-coarse:min-h-11 ${value ? 'border-accent text-ink' : 'border-line text-ink-2'}`}
    >
      {children}
    </select>
  )
}
