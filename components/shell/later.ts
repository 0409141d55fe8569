import { warmPalette } from '@/components/palette/host'
import { openChat } from '@/components/shell/navigation'
import { watchAnswers } from '@/lib/client/notify'
import { keepPages } from '@/lib/client/offline-worker'
import { isVaultOn } from '@/lib/client/vault/flag'

/**
 * What a page does once it has nothing else to do. Fetched then, and no part of what it starts with.
 *
 * @throws for want of a connection; may be called once more.
 */
export async function startLater(): Promise<void> {
  await Promise.all([watchAnswers(openChat), findVault(), keepChats(), keepPages(fetchReading)])
}

/** A vault whose mark was cleared from localStorage would look as if all chats were gone. */
async function findVault(): Promise<void> {
  const known = isVaultOn() ? [] : await window.indexedDB.databases?.().catch(() => [])
  if (known?.some(({ name }) => name === 'lagoon-vault')) await (await import('@/lib/client/vault/vault')).recoverMark()
}

async function keepChats(): Promise<void> {
  await (await import('@/lib/client/archive/storage')).keepQuietly()
}

/** What reading and searching chats needs beyond what the page has loaded. */
async function fetchReading(): Promise<void> {
  await Promise.all([
    // A whole search, and not only its beginning: its thread has files of its own, which it has then fetched.
    warmPalette(),
    import('@/components/chat/answering'),
    import('@/components/history/panel'),
    import('@/components/history/search-results'),
    import('@/components/settings/shortcut-sheet'),
    import('@/components/shell/sidebar-sheet'),
    import('@/components/settings/privacy'),
    import('@/components/settings/about'),
  ])
}
