import { closeFeatureDatabases } from '@/lib/browser/storage/feature-databases'
import { isLocked } from '@/lib/browser/vault/flag'
import { keepChoice } from '@/lib/i18n/choose'

/** What has to outlive a wipe: a payment that was signed and is not credited yet. */
const PAYMENTS = 'lagoon:payment:'
const DATABASES = ['lagoon', 'lagoon-rpc', 'lagoon-vault']

/**
 * Deletes what this browser keeps: chats, files, drafts, characters, calls, settings, cached pages. Ends the page, since
 * what is on screen would be written again. Shared links end where the service can be reached. Who is signed in stays so.
 */
export async function wipeEverything(): Promise<void> {
  // Their secrets are deleted here too, and without those nobody could end them.
  // They are among what is locked: then there is nothing to wait for.
  if (!isLocked())
    await import('@/lib/browser/shared-links').then(({ stopSharingAll }) => stopSharingAll()).catch(() => undefined)
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

/** Another tab that has it open holds the deletion up; the browser does it as soon as that one lets go. */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = window.indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => resolve()
    request.onblocked = () => resolve()
  })
}
