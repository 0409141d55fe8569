'use client'

import { useState } from 'react'
import { ComboboxField, useActiveOption } from '@/components/ui/combobox'
import { searchSettings, sectionName, settingHref } from '@/lib/browser/settings-entries'
import { t } from '@/lib/i18n/t'

const LIST_ID = 'settings-found'
const optionId = (id: string) => `${LIST_ID}-${id}`

/** Finds a setting by its words and goes to it. */
export function SettingsSearch({ onGo }: { onGo: (href: string) => void }) {
  const [query, setQuery] = useState('')
  const found = searchSettings(query)
  const { active, set, move } = useActiveOption(found.map(({ id }) => id))
  const go = (id: string | undefined) => {
    const entry = found.find((one) => one.id === id)
    if (!entry) return
    setQuery('')
    onGo(settingHref(entry))
  }
  return (
    <search className="block rounded-card border border-line bg-surface [&>div:first-child]:border-b-0">
      <ComboboxField
        label={t('Search settings')}
        placeholder={t('Search settings')}
        listId={LIST_ID}
        activeId={active && optionId(active)}
        value={query}
        onChange={(value) => {
          setQuery(value)
          set(undefined)
        }}
        onMove={move}
        onPick={() => go(active)}
      />
      <div id={LIST_ID} role="listbox" aria-label={t('Matching settings')} className={found.length > 0 ? 'p-1' : ''}>
        {found.map((entry) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys; a pointer picks here
          <div
            key={entry.id}
            id={optionId(entry.id)}
            role="option"
            aria-selected={entry.id === active}
            onClick={() => go(entry.id)}
            onPointerMove={() => set(entry.id)}
            className="min-h-11 cursor-pointer rounded-control px-2 py-1 text-14 aria-selected:bg-hover"
          >
            {t(entry.name)}
            <span className="block text-12 text-ink-3">{sectionName(entry.section)}</span>
          </div>
        ))}
      </div>
      {query.trim() !== '' && found.length === 0 && (
        <p role="status" className="px-3 py-2 text-13 text-ink-3">
          {t('No results.')}
        </p>
      )}
    </search>
  )
}
