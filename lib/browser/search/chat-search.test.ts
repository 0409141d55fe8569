import 'fake-indexeddb/auto'
import { beforeEach, expect, test } from 'vitest'
import { ChatSearch, followChanges } from '@/lib/browser/search/chat-search'
import { finishAnswer, reopenAnswer } from '@/lib/browser/storage/answers'
import { addMessages, purgeDeleted, renameConversation } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import { updateChats } from '@/lib/browser/storage/folders-and-tags'
import type { Message } from '@/lib/browser/storage/records'

const search = new ChatSearch(db)
followChanges(search)

beforeEach(async () => {
  await Promise.all(db.tables.map((table) => table.clear()))
})

let clock = 1_000
const message = (id: string, conversationId: string, more: Partial<Message> = {}): Message => ({
  id,
  conversationId,
  parentId: '',
  role: 'user',
  status: 'done',
  createdAt: clock++,
  ...more,
})
const add = (id: string, title: string, text: string, more: Partial<Message> = {}) =>
  addMessages({ id, title, modelId: 'small' }, [{ message: message(`${id}-1`, id, more), text }])
const found = async (...asked: Parameters<ChatSearch['find']>) =>
  (await search.find(...asked)).map(({ conversationId, messageId }) => messageId ?? conversationId)

test('finds words and titles, and says where', async () => {
  await add('tides', 'Moon and sea', 'Why does the water rise twice a day?')
  await add('soup', 'Dinner', 'A soup with sea salt')
  await expect.poll(() => found('sea')).toEqual(['tides', 'soup-1'])
  await expect.poll(() => found('water twi')).toEqual(['tides-1'])
  await expect.poll(() => found('water soup')).toEqual([])
  await expect.poll(() => found('  ')).toEqual([])
  await expect.poll(() => found('rise')).toEqual(['tides-1'])
  const [hit] = await search.find('rise')
  expect(hit).toMatchObject({ title: 'Moon and sea', role: 'user', conversationId: 'tides' })
  expect(hit?.snippet?.filter(({ isMark }) => isMark)).toEqual([{ text: 'rise', isMark: true }])
})

test('follows what is written, renamed, deleted and brought back', async () => {
  await add('a', 'First', 'harbour lights')
  await expect.poll(() => found('harbour')).toEqual(['a-1'])
  const answer = message('a-2', 'a', { role: 'assistant', parentId: 'a-1', status: 'streaming' })
  await addMessages({ id: 'a', title: 'First', modelId: 'small' }, [{ message: answer, text: '' }])
  await expect.poll(() => found('beacon')).toEqual([])
  await finishAnswer(
    { id: 'a-2', conversationId: 'a' },
    { changes: { status: 'done' }, text: 'A beacon', reasoning: '' },
  )
  await expect.poll(() => found('beacon')).toEqual(['a-2'])
  await reopenAnswer({ id: 'a-2', conversationId: 'a' }, {}, { id: 'r', model: 'small', at: 1 })
  await finishAnswer(
    { id: 'a-2', conversationId: 'a' },
    { changes: { status: 'done' }, text: 'A lantern', reasoning: '' },
  )
  await expect.poll(() => found('beacon')).toEqual([])
  await expect.poll(() => found('lantern')).toEqual(['a-2'])
  await renameConversation('a', 'Quayside')
  await expect.poll(() => found('quay')).toEqual(['a'])
  await updateChats(['a'], { deletedAt: Date.now() })
  await expect.poll(() => found('harbour')).toEqual([])
  await updateChats(['a'], { deletedAt: undefined })
  await expect.poll(() => found('harbour')).toEqual(['a-1'])
  await updateChats(['a'], { deletedAt: Date.now() })
  await purgeDeleted(Date.now() + 1)
  await expect.poll(() => found('harbour')).toEqual([])
  await expect.poll(() => search.stats.messages).toBe(0)
})

test('is narrowed to a role, a model, a folder, a tag and days', async () => {
  await add('a', 'One', 'same words', { createdAt: 10 })
  await add('b', 'Two', 'same words', { createdAt: 20, role: 'assistant', modelId: 'large' })
  await updateChats(['b'], { folderId: 'f', tags: ['x'] })
  await expect.poll(async () => (await found('same')).toSorted()).toEqual(['a-1', 'b-1'])
  await expect.poll(() => found('same', { tag: 'x' })).toEqual(['b-1'])
  await expect.poll(() => found('same', { role: 'assistant' })).toEqual(['b-1'])
  await expect.poll(() => found('same', { modelId: 'large' })).toEqual(['b-1'])
  await expect.poll(() => found('same', { folderId: 'f' })).toEqual(['b-1'])
  await expect.poll(() => found('same', { folderId: '' })).toEqual(['a-1'])
  await expect.poll(() => found('same', { tag: 'x' })).toEqual(['b-1'])
  await expect.poll(() => found('same', { from: 15 })).toEqual(['b-1'])
  await expect.poll(() => found('same', { to: 15 })).toEqual(['a-1'])
})

test('words that a model thought are not words that it said', async () => {
  await add('a', 'One', 'hello')
  await finishAnswer({ id: 'a-1', conversationId: 'a' }, { changes: {}, text: 'hello', reasoning: 'secret plan' })
  await expect.poll(() => found('secret')).toEqual([])
})
