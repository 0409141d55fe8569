'use client'

import { useState } from 'react'
import { BackupPart } from '@/components/history/archive/backup-part'
import { ImportPart } from '@/components/history/archive/import-part'
import { StoragePart } from '@/components/history/archive/storage-part'
import { WipePart } from '@/components/history/archive/wipe-part'
import { Sheet } from '@/components/ui/sheet'
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
