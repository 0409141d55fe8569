import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { expect, test } from 'vitest'
import { HistoryDatabase } from '@/lib/browser/storage/database'

class Older extends Dexie {
  constructor(name: string) {
    super(name)
    this.version(1).stores({
      conversations: 'id, updatedAt',
      messages: 'id, conversationId',
      parts: '[messageId+i], conversationId',
      receipts: 'id, conversationId',
      unfinished: 'messageId',
    })
    this.version(2).stores({ spending: 'day' })
  }
}

test('a tab of an older build does not hold up a newer one, and goes on beside it', async () => {
  const older = new Older('versions')
  await older.table('receipts').add({ id: 'r', conversationId: 'c', cost: 5n, at: Date.now() })
  const newer = new HistoryDatabase('versions')
  await newer.blobs.put({ hash: 'h', size: 1, data: new Blob(['x']) })
  expect(await newer.receipts.count()).toBe(1)
  await older.table('receipts').add({ id: 'r2', conversationId: 'c', at: Date.now() })
  expect(await newer.receipts.count()).toBe(2)
  newer.close()
  older.close()
})
