'use client'

import { useQuery } from '@tanstack/react-query'
import { Setting } from '@/components/settings/setting'
import { Wordmark } from '@/components/shell/wordmark'
import { Button } from '@/components/ui/button'
import { install, useCanInstall } from '@/lib/client/install'
import { plural, t } from '@/lib/i18n/t'

/** What this is, and how it is with this browser. */
export function About() {
  const canInstall = useCanInstall()
  const pages = useQuery({ queryKey: ['kept-pages'], queryFn: keptPages, networkMode: 'always', staleTime: 0 })
  const isInstalled = window.matchMedia('(display-mode: standalone)').matches
  return (
    <>
      <div className="border-b border-line py-5">
        <Wordmark />
        <p className="mt-2 max-w-120 text-14 text-ink-2">
          {t(
            'Ask open models, see what each answer costs, keep your chats on your own device. Nothing on these pages is loaded from anywhere but this service.',
          )}
        </p>
      </div>
      <Setting id="install">
        {isInstalled && <p className="text-14 text-ink-2">{t('It is installed.')}</p>}
        {!isInstalled && canInstall && <Button onClick={() => void install()}>{t('Install')}</Button>}
        {!isInstalled && !canInstall && (
          <p className="max-w-60 text-13 text-ink-2">{t('This browser has it in its menu, if it can.')}</p>
        )}
      </Setting>
      <Setting id="offline">
        <p className="max-w-60 text-14 text-ink-2">{pages.isSuccess && KEPT(pages.data)}</p>
      </Setting>
    </>
  )
}

const KEPT = (count: number): string => {
  if (count === 0) return t('No pages are kept yet. They are a moment after a visit.')
  return plural(count, { one: '{count} page is kept.', other: '{count} pages are kept.' })
}

/** How many pages the worker keeps; none where there is no worker. */
async function keptPages(): Promise<number> {
  const names = (await window.caches?.keys()) ?? []
  const counts = await Promise.all(
    names
      .filter((name) => name.startsWith('pages-'))
      .map(async (name) => (await (await caches.open(name)).keys()).length),
  )
  return Math.max(0, ...counts)
}
