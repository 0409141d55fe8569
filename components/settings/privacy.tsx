'use client'

import { useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useStore } from 'zustand'
import { Slot } from '@/components/common/slots'
import { DataLeaving, localStorageUsage } from '@/components/settings/data-leaving'
import { Button } from '@/components/ui/button'
import { Setting } from '@/components/ui/setting'
import { showToast } from '@/components/ui/toast'
import { openHistorySheet } from '@/lib/browser/dialogs'
import { formatSize } from '@/lib/browser/format/numbers'
import { chosenModel } from '@/lib/browser/models'
import { usePreference } from '@/lib/browser/preferences'
import { modelsQuery } from '@/lib/browser/queries'
import { closeFeatureDatabases } from '@/lib/browser/storage/database'
import { keepStorage, storageState } from '@/lib/browser/storage/persistence'
import { isLocked, vaultView } from '@/lib/browser/vault/flag'
import { keepChoice } from '@/lib/i18n/language-cookie'
import { formatNumber, plural, t } from '@/lib/i18n/t'

const DAY_MS = 86_400_000

export function Privacy() {
  const models = useQuery(modelsQuery())
  const [wanted] = usePreference('model')
  if (useStore(vaultView) === 'locked') {
    return (
      <>
        <Slot part="VaultSetting" />
        <WipeSetting />
      </>
    )
  }
  return (
    <>
      <Setting id="leaves" isWide>
        <DataLeaving chatId={null} model={chosenModel(models.data ?? [], wanted)} />
      </Setting>
      <StorageSetting />
      <Setting id="backup" isWide>
        <div className="flex flex-wrap items-center gap-2">
          <Button onClick={() => openHistorySheet({ kind: 'archive' })}>{t('Import and export')}</Button>
          <Button onClick={() => openHistorySheet({ kind: 'shares' })}>{t('Shared links')}</Button>
        </div>
        <BackupAge />
      </Setting>
      <Slot part="VaultSetting" />
      <WipeSetting />
    </>
  )
}

function BackupAge() {
  const [at] = usePreference('backupAt')
  const days = Math.floor((Date.now() - Number(at)) / DAY_MS)
  return <p className="mt-2 text-13 text-ink-2">{at === '' ? t('No backup yet.') : BACKUP(days)}</p>
}

const BACKUP = (days: number): string => {
  if (days <= 0) return t('Last backup: today.')
  if (days === 1) return t('Last backup: yesterday.')
  return plural(days, { one: 'Last backup: {count} day ago.', other: 'Last backup: {count} days ago.' })
}

function StorageSetting() {
  const usage = useLiveQuery(localStorageUsage, [])
  const storage = useQuery({ queryKey: ['storage'], queryFn: storageState, networkMode: 'always', staleTime: 0 })
  const persist = async () => {
    const isPromised = await keepStorage()
    await storage.refetch()
    showToast({
      text: isPromised
        ? t('The browser won’t clear your chats on its own.')
        : t('The browser declined. Install the app or create a backup to be safe.'),
    })
  }
  return (
    <Setting id="storage" isWide>
      {usage ? (
        <dl className="grid max-w-120 grid-cols-[1fr_auto] gap-x-6 gap-y-1 text-14">
          <Row name={t('Chats')} value={formatNumber(usage.chats)} />
          <Row name={t('Messages')} value={formatNumber(usage.messages)} />
          <Row name={t('Your characters')} value={formatNumber(usage.characters)} />
          <Row name={t('Files')} value={`${formatNumber(usage.files)} (${formatSize(usage.bytes)})`} />
          {storage.data?.used !== undefined && (
            <Row name={t('Total, including app pages')} value={formatSize(storage.data.used)} />
          )}
          {storage.data?.quota !== undefined && (
            <Row name={t('Browser limit')} value={formatSize(storage.data.quota)} />
          )}
        </dl>
      ) : (
        <div aria-hidden="true" className="skeleton h-28 w-full max-w-120" />
      )}
      <div className="mt-3 flex flex-wrap items-center gap-3 text-14">
        {storage.data?.isPersistent === true && (
          <p className="text-ink-2">{t('The browser keeps this data until you delete it.')}</p>
        )}
        {storage.data?.isPersistent === false && (
          <>
            <p className="text-ink-2">{t('The browser may clear this data when space runs low.')}</p>
            <Button onClick={() => void persist()}>{t('Ask browser to keep data')}</Button>
          </>
        )}
      </div>
    </Setting>
  )
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="text-end font-mono text-13 tabular-nums">{value}</dd>
    </>
  )
}

function WipeSetting() {
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

/** Outlives a wipe: a payment that was signed and is not credited yet. */
const PAYMENTS = 'lagoon:payment:'
const DATABASES = ['lagoon', 'lagoon-rpc', 'lagoon-vault']

/**
 * Deletes what this browser stores and ends the page, since what is on screen would be written again. The session
 * stays; shared links end where the service can be reached.
 */
async function wipeEverything(): Promise<void> {
  // Their secrets are deleted here too, and without those nobody could end them.
  // They are among what is locked: then there is nothing to wait for.
  if (!isLocked())
    await import('@/lib/browser/active-shares').then(({ stopSharingAll }) => stopSharingAll()).catch(() => undefined)
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

/** Another tab that has it open delays the deletion; the browser does it as soon as that one lets go. */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = window.indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => resolve()
    request.onblocked = () => resolve()
  })
}
