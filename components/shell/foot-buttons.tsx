'use client'

import { ReceiptText, Settings } from 'lucide-react'
import { IconButton } from '@/components/ui/button'
import { usePreference } from '@/lib/browser/preferences'
import { goTo, toggleLedger } from '@/lib/browser/shortcut-handlers'
import { t } from '@/lib/i18n/t'

type FootButtonsProps = {
  /** Called when something was chosen that opens over the page. */
  onDone?: () => void
}

/** Shows or hides the ledger, and leads to the settings. */
export function FootButtons({ onDone }: FootButtonsProps) {
  const [ledger] = usePreference('ledger')
  return (
    <>
      <IconButton
        label={t('Cost ledger (L)')}
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
    </>
  )
}
