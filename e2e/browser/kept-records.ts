import type { Page } from '@playwright/test'

/** All that the page keeps of its chats, as plain data. */
export const everything = (page: Page) =>
  page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('lagoon')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const tables: Record<string, unknown[]> = {}
    for (const name of database.objectStoreNames) {
      const request = database.transaction(name).objectStore(name).getAll()
      tables[name] = await new Promise((resolve) => {
        request.onsuccess = () => resolve(request.result)
      })
    }
    database.close()
    return JSON.parse(JSON.stringify(tables, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
  })

/** Everything that the page keeps in this browser: tables, settings, and the addresses in its caches. */
export function everythingKept(page: Page): Promise<unknown> {
  return page.evaluate(async () => {
    const kept: Record<string, string> = {}
    for (const [name, store] of Object.entries({ localStorage, sessionStorage }))
      kept[name] = JSON.stringify({ ...store })
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(name)
        opening.onsuccess = () => resolve(opening.result)
        opening.onerror = () => reject(opening.error)
      })
      for (const table of database.objectStoreNames) {
        const all = database.transaction(table).objectStore(table).getAll()
        const rows = await new Promise<unknown[]>((resolve) => {
          all.onsuccess = () => resolve(all.result)
        })
        const printed = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
        kept[`${name}/${table}`] = printed
      }
      database.close()
    }
    for (const name of await caches.keys()) {
      kept[`cache ${name}`] = (await (await caches.open(name)).keys()).map(({ url }) => url).join(' ')
    }
    return kept
  })
}
