'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { linkOf } from '@/components/history/share/shares'
import { dateOf } from '@/components/history/share-sheet'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sheet } from '@/components/ui/sheet'
import { showToast } from '@/components/ui/toast'
import { failureOf } from '@/lib/browser/failure'
import { listShares, stopSharing } from '@/lib/browser/shared-links'
import type { KeptShare } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

/** The links that this browser made and that are still good. */
export function SharesSheet({ onClose }: { onClose: () => void }) {
  const shares = useLiveQuery(() => listShares())
  return (
    <Sheet isOpen onClose={onClose} title={t('Shared links')}>
      {shares?.length === 0 && <p className="pt-1 text-14 text-ink-2">{t('No shared links in this browser.')}</p>}
      <ul className="pt-3">
        {shares?.map((share) => (
          <li key={share.id} className="flex items-center gap-2 border-b border-line py-2 last:border-0">
            <span className="min-w-0 flex-1">
              <span dir="auto" className="block truncate">
                {share.title}
              </span>
              <span className="block text-12 text-ink-3">{t('Expires {date}', { date: dateOf(share.expiresAt) })}</span>
            </span>
            <CopyButton text={linkOf(share)} label={t('Copy link to {title}', { title: share.title })} />
            <Button onClick={() => void stop(share)}>{t('Stop sharing')}</Button>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}

async function stop(share: KeptShare): Promise<void> {
  try {
    await stopSharing(share)
    showToast({ text: t('Link revoked.') })
  } catch (error) {
    showToast({ text: t('Could not stop sharing. {why}', { why: failureOf(error).message }) })
  }
}
