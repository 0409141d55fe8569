'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { BackupPart } from '@/components/history/archive/backup-part'
import { ImportPart } from '@/components/history/archive/import-part'
import { WipePart } from '@/components/history/archive/wipe-part'
import { Button } from '@/components/ui/button'
import { Sheet } from '@/components/ui/sheet'
import { showToast } from '@/components/ui/toast'
import { sizeText } from '@/lib/browser/format/size'
import { keepStorage, storageState } from '@/lib/browser/storage/persistence'
import { t } from '@/lib/i18n/t'

/** Import and export of all that is kept, and where it is kept. */
export function ArchiveSheet({ onClose }: { onClose: () => void }) {
  const [isBusy, setIsBusy] = useState(false)
  return (
    <Sheet isOpen onClose={onClose} title={t('Import and export')} isHeld={isBusy}>
      <p className="pt-1 text-14 text-ink-2">
        {t('Your chats live only in this browser. Back them up so you don’t lose them.')}
      </p>
      <BackupPart onBusy={setIsBusy} />
      <ImportPart onBusy={setIsBusy} />
      <StoragePart />
      <WipePart onClose={onClose} />
    </Sheet>
  )
}

/** How much room there is, and whether the browser may clear it by itself. */
function StoragePart() {
  const state = useQuery({ queryKey: ['storage'], queryFn: storageState, staleTime: 0, gcTime: 0 })
  const { used, most, isPersistent } = state.data ?? {}
  const keep = async () => {
    const isKept = await keepStorage()
    await state.refetch()
    if (!isKept) showToast({ text: t('The browser declined. Create a backup to be safe.') })
  }
  return (
    <section aria-label={t('Storage')} className="pt-6">
      <h3 className="font-medium">{t('Storage')}</h3>
      {used !== undefined && most !== undefined && (
        <p className="pt-0.5 text-13 text-ink-2">
          {t('{used} of {most} used.', { used: sizeText(used), most: sizeText(most) })}
        </p>
      )}
      {isPersistent === true && (
        <p className="pt-0.5 text-13 text-ink-2">{t('The browser won’t clear this data on its own.')}</p>
      )}
      {isPersistent === false && (
        <>
          <p className="pt-0.5 text-13 text-ink-2">{t('The browser may clear this data when space runs low.')}</p>
          <Button className="mt-2" onClick={() => void keep()}>
            {t('Ask browser to keep data')}
          </Button>
        </>
      )}
    </section>
  )
}
