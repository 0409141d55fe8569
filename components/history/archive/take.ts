import { hashOf } from '@/lib/browser/storage/blobs'
import type { StoredThread } from '@/lib/browser/storage/chats'
import type { HistoryDatabase } from '@/lib/browser/storage/database'
import type { Conversation, DaySpending } from '@/lib/browser/storage/records'

export type Accepted = { added: number; known: number }

/** Adds chats, and messages that a known chat lacks; what is here is never changed. */
export function takeThreads(
  database: HistoryDatabase,
  threads: readonly StoredThread[],
): Promise<Accepted & { messages: number }> {
  const { conversations, messages, parts, receipts } = database
  return database.transaction('rw', conversations, messages, parts, receipts, async () => {
    const addAll = (name: string, rowsOf: (thread: StoredThread) => object | readonly object[]) =>
      addMissing(database, name, threads.flatMap(rowsOf))
    const added = await addAll('conversations', ({ conversation }) => conversation)
    const newMessages = await addAll('messages', (thread) => thread.messages)
    await addAll('parts', (thread) => thread.parts)
    await addAll('receipts', (thread) => thread.receipts)
    return { added, known: threads.length - added, messages: newMessages }
  })
}

/** Adds the records of a table that are missing. A chat that is newer in the file is brought up to date. */
export function takeRecords(database: HistoryDatabase, name: string, rows: readonly object[]): Promise<Accepted> {
  const table = database.table<object>(name)
  return database.transaction('rw', table, async () => {
    if (name === 'spending') await takeSpending(database, rows as DaySpending[])
    if (name === 'conversations') await refresh(database, rows as Conversation[])
    const added = await addMissing(database, name, rows)
    return { added, known: rows.length - added }
  })
}

async function addMissing(database: HistoryDatabase, name: string, rows: readonly object[]): Promise<number> {
  const table = database.table<object>(name)
  const { keyPath } = table.schema.primKey
  const rowKey = (row: object) =>
    Array.isArray(keyPath) ? keyPath.map((path) => Reflect.get(row, path)) : Reflect.get(row, keyPath ?? 'id')
  // Of two records with one key in a file, the first counts.
  const unique = [...new Map(rows.map((row) => [JSON.stringify(rowKey(row)), row])).values()]
  const here = await table.bulkGet(unique.map(rowKey))
  const missing = unique.filter((_, at) => here[at] === undefined)
  await table.bulkAdd(missing)
  return missing.length
}

async function takeSpending({ spending }: HistoryDatabase, rows: readonly DaySpending[]): Promise<void> {
  for (const row of rows) {
    const here = await spending.get(row.day)
    if (here && here.spent < row.spent) await spending.put(row)
  }
}

async function refresh({ conversations }: HistoryDatabase, rows: readonly Conversation[]): Promise<void> {
  for (const row of rows) {
    const here = await conversations.get(row.id)
    if (here && here.updatedAt < row.updatedAt) await conversations.put(row)
  }
}

/** Stores the bytes of a file; false when they are not those of their hash, and would be shown as another file's. */
export async function takeBlob({ blobs }: HistoryDatabase, hash: string, data: Blob): Promise<boolean> {
  const isSame = (await hashOf(data)) === hash
  if (isSame) await blobs.put({ hash, size: data.size, data })
  return isSame
}
