'use client'

import { useState, useSyncExternalStore } from 'react'
import { Setting } from '@/components/ui/setting'
import { chooseLanguage, chosenLanguage } from '@/lib/i18n/choose'
import { isLanguageTag, LANGUAGES } from '@/lib/i18n/languages'
import { t } from '@/lib/i18n/t'

const NEVER = () => () => undefined

/** What the pages speak. They are loaded anew for it, which would break off an answer that is being written. */
export function LanguageSetting() {
  // The server does not say it, and what is picked before the page can hear it would change nothing.
  const known = useSyncExternalStore(NEVER, chosenLanguage, () => null)
  const [picked, setPicked] = useState<string>()
  const choose = async (value: string) => {
    setPicked(value)
    await chooseLanguage(isLanguageTag(value) ? value : undefined)
    const { untilIdle } = await import('@/lib/browser/idle')
    await untilIdle()
    window.location.reload()
  }
  return (
    <Setting id="language">
      <select
        aria-label={t('Language')}
        value={picked ?? known ?? ''}
        disabled={known === null}
        onChange={(event) => void choose(event.target.value)}
        className="min-h-11 w-full max-w-72 rounded-control border border-control bg-surface px-2 text-14 pointer-coarse:text-16"
      >
        <option value="">{t('Browser language')}</option>
        {LANGUAGES.map(({ tag, name, direction }) => (
          <option key={tag} value={tag} lang={tag} dir={direction}>
            {name}
          </option>
        ))}
      </select>
      <p role="status" className="mt-2 text-13 text-ink-2 empty:hidden">
        {picked !== undefined && t('The page reloads once the current answer is finished.')}
      </p>
    </Setting>
  )
}
