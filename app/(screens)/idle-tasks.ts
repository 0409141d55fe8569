import { warmPalette } from '@/components/palette/host'
import { keepPages } from '@/components/shell/offline-worker'
import { onSwipe } from '@/components/shell/swipe'
import { showToast } from '@/components/ui/toast'
import { isNarrow } from '@/components/ui/use-narrow'
import { openChat } from '@/lib/browser/navigation'
import { watchAnswers } from '@/lib/browser/notify'
import { readPreference } from '@/lib/browser/preferences'
import { keepQuietly } from '@/lib/browser/storage/persistence'
import { SPENT_EVENT } from '@/lib/browser/storage/records'
import { isVaultOn } from '@/lib/browser/vault/flag'
import type { Usd } from '@/lib/contract/money'

/**
 * Starts what a page does once it is idle; fetched then.
 * @throws for want of a connection; may be called once more.
 */
export async function startLater(): Promise<void> {
  if (!isStarted) {
    onSwipe(openChats)
    window.addEventListener(SPENT_EVENT, tellOfCap)
  }
  isStarted = true
  await Promise.all([watchAnswers(openChat), findVault(), keepChats(), keepPages(fetchReading)])
}

let isStarted = false

const EDGE_PX = 32

const NOTICE_MS = 8_000

function openChats(along: number, beganAt: number): void {
  if (along < 0 || beganAt > EDGE_PX || !isNarrow() || document.querySelector('[role="dialog"]')) return
  document.getElementById('open-chats')?.click()
}

function tellOfCap(event: Event): void {
  if (readPreference('capPerDay') === '') return
  const { detail: cost } = event as CustomEvent<Usd>
  setTimeout(async () => {
    const { capNotice } = await import('@/lib/browser/spending')
    const text = await capNotice(cost)
    if (text !== undefined) showToast({ text, lastsMs: NOTICE_MS })
  })
}

async function findVault(): Promise<void> {
  const known = isVaultOn() ? [] : await window.indexedDB.databases?.().catch(() => [])
  if (known?.some(({ name }) => name === 'lagoon-vault'))
    await (await import('@/lib/browser/vault/vault')).recoverMark()
}

async function keepChats(): Promise<void> {
  const { db } = await import('@/lib/browser/storage/database')
  if ((await db.conversations.count()) > 0) await keepQuietly()
}

async function fetchReading(): Promise<void> {
  await Promise.all([
    // A whole search, and not only its beginning: its thread has files of its own, which it has then fetched.
    warmPalette(),
    import('@/components/chat/chat-runtime.lazy'),
    import('@/components/history/panel'),
    import('@/components/history/search-results'),
    import('@/components/settings/shortcut-sheet'),
    import('@/components/shell/sidebar-sheet'),
    import('@/components/ui/toast-line'),
    import('@/components/settings/privacy'),
    import('@/components/settings/about'),
    import('@/components/vault/vault-setting'),
  ])
}
