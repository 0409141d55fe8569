'use client'

import { Monitor, Moon, ReceiptText, Settings, Sun } from 'lucide-react'
import { goTo, toggleLedger } from '@/components/shell/shortcuts'
import { IconButton } from '@/components/ui/button'
import { usePreference } from '@/lib/client/preferences'
import { msg, t } from '@/lib/i18n/t'

const THEMES = [
  { value: 'light', label: msg('Light'), icon: Sun },
  { value: 'dark', label: msg('Dark'), icon: Moon },
  { value: 'system', label: msg('Same as this device'), icon: Monitor },
] as const

type AppearanceProps = {
  /** Called when something was chosen that opens over the page. */
  onDone?: () => void
}

/** Light or dark, whether the ledger shows, and the way to all other settings. */
export function Appearance({ onDone }: AppearanceProps) {
  const [theme, setTheme] = usePreference('theme')
  const [ledger] = usePreference('ledger')
  return (
    <div className="flex flex-1 items-center justify-between">
      <fieldset className="flex rounded-control">
        <legend className="sr-only">{t('Theme')}</legend>
        {THEMES.map(({ value, label, icon: Icon }) => (
          <label
            key={value}
            title={t(label)}
            className="inline-flex size-9 items-center justify-center rounded-control text-ink-3 hover:text-ink has-checked:bg-hover has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:size-11"
          >
            <input
              type="radio"
              name="theme"
              value={value}
              aria-label={t(label)}
              checked={theme === value}
              onChange={() => setTheme(value)}
              className="sr-only"
            />
            <Icon aria-hidden="true" className="size-[18px]" strokeWidth={1.5} />
          </label>
        ))}
      </fieldset>
      <IconButton
        label={t('Ledger of costs (L)')}
        aria-pressed={ledger === 'shown'}
        onClick={toggleLedger}
        className="aria-pressed:text-ink"
      >
        <ReceiptText aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('Settings (Ctrl .)')}
        onClick={() => {
          onDone?.()
          goTo('/settings')
        }}
      >
        <Settings aria-hidden="true" />
      </IconButton>
    </div>
  )
}
