import type { RpcCallDraft } from '@/components/rpc/client'
import { bringBackRuns, clearRuns, deleteRun, openRun } from '@/components/rpc/history'
import { openRequest } from '@/components/rpc/request-draft'
import { showRequestsTab } from '@/components/rpc/requests-panel'
import { showPastRun } from '@/components/rpc/run'
import { addSaved, deleteSaved, purgeSaved, restoreSaved, type SavedCall } from '@/components/rpc/store'
import { showToast } from '@/components/ui/toast'
import { UNDO_MS } from '@/lib/browser/storage/records'
import { networkOf } from '@/lib/contract/rpc'
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

export async function removeRun(id: string): Promise<void> {
  const removed = await deleteRun(id)
  if (!removed) return
  const bringBack = () => void bringBackRuns({ runs: [removed.run], bodies: [removed.body] })
  showToast({ text: t('Run deleted'), lastsMs: UNDO_MS, action: { label: t('Undo'), run: bringBack } })
}

export async function removeRuns(): Promise<void> {
  const removed = await clearRuns()
  const bringBack = () => void bringBackRuns(removed)
  showToast({ text: t('History cleared'), lastsMs: UNDO_MS, action: { label: t('Undo'), run: bringBack } })
}

/** Deletes at once and offers undo; what is left afterwards is removed for good. */
export async function removeSaved(calls: readonly SavedCall[], text: string): Promise<void> {
  const ids = calls.map(({ id }) => id)
  await deleteSaved(ids)
  setTimeout(() => void purgeSaved(Date.now() - UNDO_MS), UNDO_MS + PURGE_SLACK_MS)
  showToast({ text, lastsMs: UNDO_MS, action: { label: t('Undo'), run: () => void restoreSaved(ids) } })
}
