import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BLOB_GRACE_MS, dropUnusedBlobs, keepBlob, loadBlob } from '@/lib/browser/storage/blobs'
import { forkConversation } from '@/lib/browser/storage/branches'
import { addMessages, purgeDeleted } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import { updateChats } from '@/lib/browser/storage/folders-and-tags'
import type { Attachment, Message } from '@/lib/browser/storage/records'

const file = (hash: string): Attachment => ({
  ...{ id: hash.slice(0, 8), kind: 'document', name: 'a.txt', mediaType: 'text/plain', size: 3, hash },
})
const question = (conversationId: string, attachments: Attachment[]): Message => ({
  ...{ id: `${conversationId}-q`, conversationId, parentId: '', role: 'user', status: 'done', createdAt: 1 },
  attachments,
})
const add = (id: string, attachments: Attachment[]) =>
  addMessages({ id, title: id, modelId: 'm' }, [{ message: question(id, attachments), text: 'Hi' }])

const written = new Map<string, string>()
beforeEach(async () => {
  written.clear()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => written.get(name) ?? null,
    removeItem: (name: string) => void written.delete(name),
  })
  await Promise.all(db.tables.map((table) => table.clear()))
})
afterEach(() => vi.unstubAllGlobals())

test('files go when nothing has pointed at them for a while, and not before', async () => {
  const [kept, gone, fresh] = await Promise.all(['one', 'two', 'three'].map((text) => keepBlob('', new Blob([text]))))
  await add('a', [file(kept!)])
  expect(await dropUnusedBlobs(1)).toBe(true)
  // What is kept anew, or pointed at again, begins anew.
  await keepBlob('', new Blob(['three']))
  expect(await dropUnusedBlobs(BLOB_GRACE_MS)).toBe(true)
  expect(await loadBlob(gone!)).toBeDefined()
  expect(await dropUnusedBlobs(BLOB_GRACE_MS + 1)).toBe(true)
  expect(await loadBlob(gone!)).toBeUndefined()
  expect(await loadBlob(fresh!)).toBeDefined()
  await db.draftFiles.put({ chatId: 'new', attachments: [file(fresh!)] })
  expect(await dropUnusedBlobs(9 * BLOB_GRACE_MS)).toBe(false)
  await db.draftFiles.delete('new')
  expect(await dropUnusedBlobs(10 * BLOB_GRACE_MS)).toBe(true)
  expect(await loadBlob(fresh!)).toBeDefined()
  expect(await loadBlob(kept!)).toBeDefined()
})

test('a fork keeps the files that it shares when the first chat is deleted', async () => {
  const hash = await keepBlob('', new Blob(['shared']))
  await add('a', [file(hash)])
  await forkConversation('a', 'a-q', 'path', 'b')
  await updateChats(['a'], { deletedAt: Date.now() })
  await purgeDeleted(Date.now())
  for (const now of [1, 2 * BLOB_GRACE_MS]) await dropUnusedBlobs(now)
  expect(await loadBlob(hash)).toBeDefined()
})

test('a chat that is deleted for good takes along what was written in it and not sent', async () => {
  await add('a', [])
  await add('b', [])
  for (const id of ['a', 'b']) {
    written.set(`lagoon:draft:${id}`, 'secret')
    written.set(`lagoon:queue:${id}`, JSON.stringify([{ id: `${id}-w`, modelId: 'm', text: 'secret' }]))
    await db.draftFiles.bulkPut([
      { chatId: id, attachments: [] },
      { chatId: `${id}-w`, attachments: [] },
    ])
  }
  await updateChats(['a'], { deletedAt: Date.now() })
  expect(written.size).toBe(4)
  await purgeDeleted(Date.now())
  expect([...written.keys()].sort()).toEqual(['lagoon:draft:b', 'lagoon:queue:b'])
  expect(await db.draftFiles.toCollection().primaryKeys()).toEqual(['b', 'b-w'])
})
