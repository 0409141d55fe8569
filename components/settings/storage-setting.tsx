'use client'

import { useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { keptHere } from '@/components/settings/local-storage-usage'
import { Button } from '@/components/ui/button'
import { Setting } from '@/components/ui/setting'
import { showToast } from '@/components/ui/toast'
import { formatSize } from '@/lib/browser/format/size'
import { keepStorage, storageState } from '@/lib/browser/storage/persistence'
import { formatNumber, t } from '@/lib/i18n/t'

/** What is kept here, and whether the browser may clear it by itself. */
export function StorageSetting() {
  const kept = useLiveQuery(keptHere, [])
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
      {kept ? (
        <dl className="grid max-w-120 grid-cols-[1fr_auto] gap-x-6 gap-y-1 text-14">
          <Row name={t('Chats')} value={formatNumber(kept.chats)} />
          <Row name={t('Messages')} value={formatNumber(kept.messages)} />
          <Row name={t('Your characters')} value={formatNumber(kept.characters)} />
          <Row name={t('Files')} value={`${formatNumber(kept.files)} (${formatSize(kept.bytes)})`} />
          {storage.data?.used !== undefined && (
            <Row name={t('Total, including app pages')} value={formatSize(storage.data.used)} />
          )}
          {storage.data?.most !== undefined && <Row name={t('Browser limit')} value={formatSize(storage.data.most)} />}
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
