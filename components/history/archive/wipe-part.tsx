'use client'

import type { MouseEvent } from 'react'
import { SETTINGS, settingHref } from '@/lib/browser/settings-entries'
import { goTo } from '@/lib/browser/shortcut-handlers'
import { t } from '@/lib/i18n/t'

const { name, about, ...place } = SETTINGS.find(({ id }) => id === 'wipe')!
const HREF = settingHref(place)

/** The way to the one place where everything is deleted. */
export function WipePart({ onClose }: { onClose: () => void }) {
  const go = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    onClose()
    // When the sheet is gone, and with it the focus that it gives back.
    requestAnimationFrame(showWipe)
  }
  return (
    <section aria-label={t(name)} className="pt-6">
      <a
        href={HREF}
        onClick={go}
        className="-mx-1 inline-flex min-h-9 items-center rounded-control px-1 font-medium text-danger underline underline-offset-3 pointer-coarse:min-h-11"
      >
        {t(name)}
      </a>
      <p className="text-13 text-ink-2">{t(about)}</p>
    </section>
  )
}

/** On the page of that setting only the hash changes, which its page follows and the router does not. */
function showWipe(): void {
  const { pathname, hash } = new URL(HREF, window.location.origin)
  if (window.location.pathname === pathname) window.location.hash = hash
  else goTo(HREF)
}
