import 'fake-indexeddb/auto'
import { beforeEach, expect, test } from 'vitest'
import { setUnread } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import { cleanTags, deleteFolder, listFolders, makeFolder, updateChats } from '@/lib/browser/storage/folders-and-tags'
import type { Conversation } from '@/lib/browser/storage/records'

const chat = (id: string, more: Partial<Conversation> = {}): Conversation => ({
  id,
  title: id,
  isNamed: false,
  createdAt: 1,
  updatedAt: 2,
  modelId: 'm',
  branches: {},
  ...more,
})

beforeEach(async () => {
  await Promise.all(db.tables.map((table) => table.clear()))
})

test('putting chats away leaves their place in time, and can be taken back', async () => {
  const kept = [chat('a', { isPinned: true }), chat('b')]
  await db.conversations.bulkAdd(kept)
  const undo = await updateChats(['a', 'b', 'unknown'], { isArchived: true, isPinned: false })
  expect(await db.conversations.get('a')).toEqual({ ...chat('a'), isArchived: true })
  expect(await db.conversations.get('b')).toEqual({ ...chat('b'), isArchived: true })
  await undo()
  expect(await db.conversations.toArray()).toEqual(kept)
})

test('a deleted folder frees its chats, and comes back with those that were not moved meanwhile', async () => {
  const first = await makeFolder('  Work   notes ')
  const second = await makeFolder('Other')
  expect((await listFolders()).map(({ name }) => name)).toEqual(['Work notes', 'Other'])
  await db.conversations.bulkAdd([chat('a', { folderId: first.id }), chat('b', { folderId: first.id })])
  const undo = await deleteFolder(first.id)
  expect((await db.conversations.toArray()).map(({ folderId }) => folderId)).toEqual([undefined, undefined])
  await updateChats(['b'], { folderId: second.id })
  await undo()
  expect((await db.conversations.toArray()).map(({ folderId }) => folderId)).toEqual([first.id, second.id])
  expect(await listFolders()).toEqual([first, second])
})

test('a folder needs a name', () => {
  expect(() => makeFolder('  ')).toThrow('Enter a folder name')
})

test('tags lose doubles, signs and spaces', () => {
  expect(cleanTags(['#Work', 'work', '  two  words ', '', '##'])).toEqual(['Work', 'two words'])
  expect(cleanTags(Array.from({ length: 40 }, (_, i) => `t${i}`))).toHaveLength(12)
})

test('a chat that was looked at is as it was before its answer', async () => {
  await db.conversations.add(chat('a'))
  await setUnread('a', true)
  expect(await db.conversations.get('a')).toEqual(chat('a', { isUnread: true }))
  await setUnread('a', false)
  expect(await db.conversations.get('a')).toEqual(chat('a'))
})
