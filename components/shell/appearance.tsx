'use client'

import { Monitor, Moon, ReceiptText, Sun } from 'lucide-react'
import { toggleLedger } from '@/components/shell/shortcuts'
import { IconButton } from '@/components/ui/button'
import { usePreference } from '@/lib/client/preferences'

const THEMES = [
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'system', label: 'Same as this device', icon: Monitor },
] as const

/** Light or dark, and whether the ledger shows. */
export function Appearance() {
  const [theme, setTheme] = usePreference('theme')
  const [ledger] = usePreference('ledger')
  return (
    <div className="flex flex-1 items-center justify-between">
      <fieldset className="flex rounded-control">
        <legend className="sr-only">Theme</legend>
        {THEMES.map(({ value, label, icon: Icon }) => (
          <label
            key={value}
            title={label}
            className="inline-flex size-9 items-center justify-center rounded-control text-ink-3 hover:text-ink has-checked:bg-hover has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:size-11"
          >
            <input
              type="radio"
              name="theme"
              value={value}
              aria-label={label}
              checked={theme === value}
              onChange={() => setTheme(value)}
              className="sr-only"
            />
            <Icon aria-hidden="true" className="size-[18px]" strokeWidth={1.5} />
          </label>
        ))}
      </fieldset>
      <IconButton
        label="Ledger of costs (L)"
        aria-pressed={ledger === 'shown'}
        onClick={toggleLedger}
        className="aria-pressed:text-ink"
      >
        <ReceiptText aria-hidden="true" />
      </IconButton>
    </div>
  )
}
