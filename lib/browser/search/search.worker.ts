import { ChatSearch, followChanges, type Hit, type SearchFilters } from '@/lib/browser/search/chat-search'
import { HistoryDatabase, OPEN_NAME, PLAIN_NAME } from '@/lib/browser/storage/database'
import type { Change } from '@/lib/browser/vault/session'

/** Without a query the worker only reads what changed. */
export type SearchQuestion = { id: number; query?: string; filters?: SearchFilters }
/** Chats of the vault, which the worker cannot read itself. The first of these comes before the first question. */
export type SearchFeed = { records: readonly Change[] }
export type SearchAnswer = { id: number; hits: Hit[] } | { id: number; failed: string }

let opening: Promise<ChatSearch> | undefined
let taking: Promise<void> = Promise.resolve()

self.addEventListener('message', ({ data }: MessageEvent<SearchQuestion | SearchFeed>) => {
  if ('records' in data) taking = taking.then(() => take(data.records))
  else void answer(data)
})

async function answer({ id, query, filters }: SearchQuestion): Promise<void> {
  try {
    await taking
    opening ??= openSearch(new HistoryDatabase(PLAIN_NAME))
    const search = await opening
    if (query === undefined) await search.sync()
    const hits = query === undefined ? [] : await search.find(query, filters)
    self.postMessage({ id, hits } satisfies SearchAnswer)
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error)
    self.postMessage({ id, failed } satisfies SearchAnswer)
  }
}

async function openSearch(database: HistoryDatabase): Promise<ChatSearch> {
  const search = new ChatSearch(database)
  followChanges(search)
  return search
}

async function openMemory(): Promise<ChatSearch> {
  const { IDBFactory, IDBKeyRange } = await import('fake-indexeddb')
  return openSearch(new HistoryDatabase(OPEN_NAME, { indexedDB: new IDBFactory(), IDBKeyRange }))
}

async function take(records: readonly Change[]): Promise<void> {
  opening ??= openMemory()
  const { database } = await opening
  const tables = Map.groupBy(records, ({ table }) => table)
  await database.transaction('rw', database.tables, async () => {
    for (const [name, all] of tables) {
      await database.table(name).bulkPut(all.flatMap(({ record }) => record ?? []))
      await database.table(name).bulkDelete(all.flatMap(({ key, record }) => (record ? [] : [key])))
    }
  })
}
