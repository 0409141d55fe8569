import type { Change } from '@/lib/browser/vault/session'
import { followRecords, openSession } from '@/lib/browser/vault/vault'

const TABLES = ['conversations', 'messages', 'parts']
const PAGE = 1_000

export async function feedRecords(give: (changes: readonly Change[]) => void): Promise<void> {
  const session = openSession()
  if (!session) return
  give([])
  followRecords((changes) => {
    const wanted = changes.filter(({ table }) => TABLES.includes(table))
    if (wanted.length > 0) give(wanted)
  })
  for (const table of TABLES) {
    for await (const records of session.pagesOf(table, PAGE)) {
      // One that was deleted meanwhile is not there; its key says nothing without a record.
      give(records.flatMap((record) => (record ? [{ table, key: '', record }] : [])))
    }
  }
}
