'use client'

import { useQuery } from '@tanstack/react-query'
import { Slot } from '@/components/common/slots'
import { StorageSetting } from '@/components/settings/storage-setting'
import { WhatLeaves } from '@/components/settings/what-leaves'
import { WipeSetting } from '@/components/settings/wipe-setting'
import { Button } from '@/components/ui/button'
import { Setting } from '@/components/ui/setting'
import { openHistorySheet } from '@/lib/browser/dialogs'
import { chosenModel } from '@/lib/browser/models'
import { usePreference } from '@/lib/browser/preferences'
import { modelsQuery } from '@/lib/browser/queries'
import { useVault } from '@/lib/browser/vault/use-vault'
import { plural, t } from '@/lib/i18n/t'

const DAY_MS = 86_400_000

/** What leaves, what is kept, and the ways to save or delete it. */
export function Privacy() {
  const models = useQuery(modelsQuery())
  const [wanted] = usePreference('model')
  if (useVault() === 'locked') {
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
        <WhatLeaves chatId={null} model={chosenModel(models.data ?? [], wanted)} />
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

/** How long ago all chats were saved to a file. */
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
