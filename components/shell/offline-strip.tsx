'use client'

import { RefreshCw, WifiOff } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { takeOver, useIsOnline, useIsUpdateReady } from '@/lib/browser/offline'
import { t } from '@/lib/i18n/t'

const STRIP =
  'flex min-h-9 items-center justify-center gap-2 border-b border-line bg-sunken px-4 py-1 text-13 text-ink-2'

/** Strips on top: while the device has no connection, and when another build of the app is ready. */
export function OfflineStrip() {
  const isOnline = useIsOnline()
  const isUpdateReady = useIsUpdateReady()
  return (
    <div role="status" className="pt-[env(safe-area-inset-top)]">
      {!isOnline && (
        <p className={STRIP}>
          <WifiOff aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
          {t('You’re offline. You can read chats; messages wait until you’re back online.')}
        </p>
      )}
      {isOnline && isUpdateReady && <UpdateStrip />}
    </div>
  )
}

/** A reload would break off an answer, so it waits for those that are being written. */
function UpdateStrip() {
  const [isWaiting, setIsWaiting] = useState(false)
  const reload = async () => {
    setIsWaiting(true)
    const { untilIdle } = await import('@/lib/browser/idle')
    await untilIdle()
    takeOver()
  }
  return (
    <p className={STRIP}>
      <RefreshCw aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {t('Update ready')}
      <Button kind="plain" disabled={isWaiting} onClick={() => void reload()} className="text-accent">
        {isWaiting ? t('Reloads after this answer') : t('Reload')}
      </Button>
    </p>
  )
}
