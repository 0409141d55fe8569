'use client'

import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '@/components/ui/button'
import { Setting } from '@/components/ui/setting'
import { closeFeatureDatabases } from '@/lib/browser/storage/database'
import { isLocked } from '@/lib/browser/vault/flag'
import { keepChoice } from '@/lib/i18n/choose'
import { t } from '@/lib/i18n/t'

/** Deletes all that is kept here. The one deletion that is asked about first, since nothing brings it back. */
export function WipeSetting() {
  const [step, setStep] = useState<'closed' | 'asking' | 'wiping'>('closed')
  const keep = useRef<HTMLButtonElement>(null)
  const ask = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (step === 'asking') keep.current?.focus()
  }, [step])
  const stay = () => {
    flushSync(() => setStep('closed'))
    ask.current?.focus()
  }
  const wipe = () => {
    setStep('wiping')
    void wipeEverything()
  }
  return (
    <Setting id="wipe" isWide>
      {step === 'closed' ? (
        <Button ref={ask} className="text-danger" onClick={() => setStep('asking')}>
          {t('Delete all data')}
        </Button>
      ) : (
        <div role="alert" className="max-w-120 rounded-card border border-danger p-4">
          <p className="text-14">
            {t(
              'All chats, drafts, files, settings and your own characters in this browser are permanently deleted. Payments not yet credited are kept. Your shared links are revoked if the service can be reached.',
            )}
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button ref={keep} disabled={step === 'wiping'} onClick={stay}>
              {t('Keep everything')}
            </Button>
            <Button className="text-danger" disabled={step === 'wiping'} onClick={wipe}>
              {step === 'wiping' ? t('Deleting') : t('Delete permanently')}
            </Button>
          </div>
        </div>
      )}
    </Setting>
  )
}

/** What has to outlive a wipe: a payment that was signed and is not credited yet. */
const PAYMENTS = 'lagoon:payment:'
const DATABASES = ['lagoon', 'lagoon-rpc', 'lagoon-vault']

/**
 * Deletes what this browser keeps: chats, files, drafts, characters, calls, settings, cached pages. Ends the page, since
 * what is on screen would be written again. Shared links end where the service can be reached. Who is signed in stays so.
 */
async function wipeEverything(): Promise<void> {
  // Their secrets are deleted here too, and without those nobody could end them.
  // They are among what is locked: then there is nothing to wait for.
  if (!isLocked())
    await import('@/lib/browser/shared-links').then(({ stopSharingAll }) => stopSharingAll()).catch(() => undefined)
  const { db, openDatabases } = await import('@/lib/browser/storage/database')
  for (const database of openDatabases()) database.close()
  closeFeatureDatabases()
  const known = await window.indexedDB.databases?.().catch(() => [])
  const names = new Set([...DATABASES, db.name, ...(known ?? []).flatMap(({ name }) => name ?? [])])
  await Promise.all([...names].map(deleteDatabase))
  for (const key of Object.keys(localStorage)) if (!key.startsWith(PAYMENTS)) localStorage.removeItem(key)
  sessionStorage.clear()
  keepChoice(undefined)
  for (const name of (await window.caches?.keys()) ?? []) await caches.delete(name)
  window.location.replace('/')
}

/** Another tab that has it open holds the deletion up; the browser does it as soon as that one lets go. */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = window.indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => resolve()
    request.onblocked = () => resolve()
  })
}
