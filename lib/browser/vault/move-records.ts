import { Dexie } from 'dexie'
import { HistoryDatabase } from '@/lib/browser/storage/database'
import { recordText } from '@/lib/browser/vault/record-bytes'
import type { VaultSession, VaultStore } from '@/lib/browser/vault/session'

const PAGE = 200
const FILES_PAGE = 4
/** Other pages close a database when they hear of its deletion; one that does not is not waited for. */
const DELETE_WAIT_MS = 3_000

export type OnProgress = (done: number, of: number) => void

/**
 * Moves plain records into the vault. A record is removed only when the vault has it as it is now: the move may stop
 * anywhere and begin again, and what another tab writes meanwhile is moved as well.
 */
export function moveIn(plainName: string, database: HistoryDatabase, onProgress: OnProgress): Promise<void> {
  // One tab at a time: what one has moved may have been changed in the vault since.
  return navigator.locks.request(`${plainName}-move`, () => moveAll(plainName, database, onProgress))
}

async function moveAll(plainName: string, database: HistoryDatabase, onProgress: OnProgress): Promise<void> {
  if (!(await Dexie.exists(plainName))) return
  const plain = new HistoryDatabase(plainName)
  try {
    const counts = await Promise.all(plain.tables.map((table) => table.count()))
    const total = counts.reduce((sum, count) => sum + count, 0)
    let done = 0
    for (const { name } of plain.tables) {
      for (;;) {
        const records = await plain.table(name).limit(pageOf(name)).toArray()
        if (records.length === 0) break
        await database.table(name).bulkPut(records)
        onProgress(done, total)
        await takeOut(plain, name, records)
        done += records.length
        onProgress(Math.min(done, total), total)
      }
    }
  } finally {
    // Empty, it stays: deleted, it would take along what a tab that knows nothing of the vault writes in that moment.
    plain.close()
  }
}

async function takeOut(plain: HistoryDatabase, name: string, records: readonly unknown[]): Promise<void> {
  const table = plain.table(name)
  const { extractKey } = table.core.schema.primaryKey
  const keys = records.map((record) => extractKey?.(record))
  await plain.transaction('rw', table, async () => {
    const now = await table.bulkGet(keys)
    const same = keys.filter((_, at) => now[at] && recordText(now[at]) === recordText(records[at]))
    await table.bulkDelete(same)
  })
}

/** Copies the vault to plain storage while no tab writes. The vault counts until the copy is complete. */
export function copyOut(session: VaultSession, plainName: string, onProgress: OnProgress): Promise<void> {
  const { store } = session
  return session.leave(async () => {
    const plain = new HistoryDatabase(plainName)
    try {
      onProgress(0, 1)
      // What an earlier try left.
      await clearTables(plain)
      let done = 0
      const total = await store.records.count()
      for (const { name } of plain.tables) {
        for await (const records of session.pagesOf(name, pageOf(name))) {
          await plain.table(name).bulkPut(records)
          done += records.length
          onProgress(done, total)
        }
      }
      await store.state.update('state', { stage: 'emptied' })
      onProgress(total, total)
    } finally {
      plain.close()
    }
  })
}

export async function clearPlain(plainName: string): Promise<void> {
  const plain = new HistoryDatabase(plainName)
  await clearTables(plain)
  plain.close()
}

const clearTables = (plain: HistoryDatabase): PromiseLike<void> =>
  plain.transaction('rw', plain.tables, async () => {
    for (const table of plain.tables) await table.clear()
  })

export async function removeVault(store: VaultStore): Promise<void> {
  store.close()
  await Promise.race([Dexie.delete(store.name), new Promise((resolve) => setTimeout(resolve, DELETE_WAIT_MS))])
}

const pageOf = (table: string): number => (table === 'blobs' ? FILES_PAGE : PAGE)
