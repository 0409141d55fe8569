import type { RpcCallDraft } from '@/components/rpc/client'
import { openRequest, showRequestsTab } from '@/components/rpc/request-draft'
import { showPastRun } from '@/components/rpc/run'
import {
  addSaved,
  deleteRuns,
  deleteSaved,
  openRun,
  purgeSaved,
  restoreRuns,
  restoreSaved,
  type SavedCall,
} from '@/components/rpc/store'
import { showToast } from '@/components/ui/toast'
import { UNDO_MS } from '@/lib/browser/storage/records'
import { networkOf } from '@/lib/contract/rpc-networks'
import { plural, t } from '@/lib/i18n/t'

const PURGE_SLACK_MS = 500

export async function openPastRun(id: string): Promise<void> {
  const stored = await openRun(id)
  const network = stored && networkOf(stored.run.network)
  if (!network) return
  const { run, calls, answer } = stored
  if (calls.length === 0) return showToast({ text: t('This request is too large to save.') })
  const isLost = !answer && run.status !== 0
  openRequest(
    network,
    calls,
    run.isBatch,
    isLost ? t('The response was too large to save. Run the call again to see it.') : undefined,
  )
  showPastRun({ network, calls, isBatch: run.isBatch }, answer)
}

export async function saveRun(id: string): Promise<void> {
  const stored = await openRun(id)
  if (!stored || stored.calls.length === 0) return showToast({ text: t('This request is too large to save.') })
  const { run, calls } = stored
  const added = await addSaved([
    { name: nameFor(calls), folder: '', network: run.network, calls, isBatch: run.isBatch },
  ])
  if (added === 0) return showToast({ text: t('No space for more saved requests. Delete some first.') })
  showToast({ text: t('Saved on this device'), action: { label: t('Show'), run: () => showRequestsTab('saved') } })
}

export function nameFor(calls: readonly RpcCallDraft[]): string {
  const method = calls[0]?.method ?? ''
  if (calls.length <= 1) return method
  return plural(calls.length - 1, { one: '{method} and {count} more', other: '{method} and {count} more' }, { method })
}

export function openSaved({ network: slug, calls, isBatch }: SavedCall): void {
  const network = networkOf(slug)
  if (network) openRequest(network, calls, isBatch)
}

export async function removeRuns(id?: string): Promise<void> {
  const removed = await deleteRuns(id === undefined ? undefined : [id])
  const text = id === undefined ? t('History cleared') : t('Run deleted')
  const action = { label: t('Undo'), run: () => void restoreRuns(removed) }
  showToast({ text, lastsMs: UNDO_MS, action })
}

/** Deletes requests at once and offers undo; what is not restored is removed for good. */
export async function removeSaved(calls: readonly SavedCall[], text: string): Promise<void> {
  const ids = calls.map(({ id }) => id)
  await deleteSaved(ids)
  setTimeout(() => void purgeSaved(Date.now() - UNDO_MS), UNDO_MS + PURGE_SLACK_MS)
  showToast({ text, lastsMs: UNDO_MS, action: { label: t('Undo'), run: () => void restoreSaved(ids) } })
}
