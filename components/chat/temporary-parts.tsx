'use client'

import { EyeOff } from 'lucide-react'
import { IconButton } from '@/components/ui/button'
import { useTemporary } from '@/lib/browser/temporary-chat'
import { t } from '@/lib/i18n/t'

/** Makes the next new chat a temporary one, or a kept one again. */
export function TemporaryToggle() {
  const [isOn, set] = useTemporary()
  return (
    <IconButton
      label={isOn ? t('Turn off temporary chat') : t("Temporary chat (Ctrl Shift ')")}
      aria-pressed={isOn}
      className="bar-tool aria-pressed:bg-hover aria-pressed:text-ink"
      onClick={() => set(!isOn)}
    >
      <EyeOff aria-hidden="true" />
      <span className="bar-label">{t('Temporary')}</span>
    </IconButton>
  )
}

/** Above a temporary chat, for as long as it lasts. */
export function TemporaryBanner({ isNew }: { isNew: boolean }) {
  return (
    <p role="note" className="shrink-0 bg-ink px-4 py-1.5 text-center text-13 text-paper">
      {isNew
        ? t('Temporary chat. Not saved on this device; deleted when you close or reload the page.')
        : t('Temporary chat: deleted when you close or reload the page.')}
    </p>
  )
}
