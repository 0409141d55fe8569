import 'fake-indexeddb/auto'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { dayOf } from '@/lib/browser/format/day'
import {
  claimPaused,
  finishAnswer,
  interruptAnswer,
  listUnpriced,
  priceRequest,
  reopenAnswer,
  saveUnfinished,
} from '@/lib/browser/storage/answers'
import { removeMessage, restoreRemoved } from '@/lib/browser/storage/branches'
import { addMessages, loadThread } from '@/lib/browser/storage/chats'
import { db, newTemporaryId } from '@/lib/browser/storage/database'
import type { Message, Receipt } from '@/lib/browser/storage/records'
import { spentOn } from '@/lib/browser/storage/spending'
import { shownTurns } from '@/lib/browser/storage/thread'
import { nano } from '@/lib/contract/money'

afterAll(() => vi.resetModules())

const KEY = { id: 'a', conversationId: 'chat' }
const REQUEST = { id: 'chatcmpl-1', model: 'm', at: Date.now() }
const answer: Message = {
  ...KEY,
  parentId: '',
  role: 'assistant',
  status: 'streaming',
  createdAt: 1,
  unpriced: [REQUEST],
}
const receipt = (id = REQUEST.id, cost = 7n): Receipt => ({
  ...{ id, conversationId: KEY.conversationId, messageId: KEY.id, model: 'm', durationMs: 5, at: REQUEST.at },
  tokens: { input: 3, output: 2, cached: 0, reasoning: 0 },
  cost: nano(cost),
})
const stored = async () => (await db.messages.get('a'))!

beforeEach(async () => {
  await Promise.all(db.tables.map((table) => table.clear()))
  await addMessages({ id: 'chat', title: 't', modelId: 'm' }, [{ message: answer, text: '' }])
})

test('an answer that ends with its price has one receipt and nothing open', async () => {
  await finishAnswer(KEY, { text: 'Two.', reasoning: '', changes: { status: 'done' }, receipt: receipt() })
  expect(await stored()).not.toHaveProperty('unpriced')
  expect(shownTurns((await loadThread('chat'))!)[0]).toMatchObject({ text: 'Two.', receipt: { cost: 7n } })
  expect(await spentOn(dayOf(REQUEST.at))).toBe(7n)
})

test('an answer that was left keeps its request, until the price is learnt, once', async () => {
  const left = { ...REQUEST, durationMs: 40, ray: 'ray' }
  await finishAnswer(KEY, { text: 'Tw', reasoning: '', changes: { status: 'stopped' }, left })
  expect((await listUnpriced('chat'))[0]?.unpriced).toEqual([left])
  await Promise.all([priceRequest(KEY, REQUEST.id, receipt()), priceRequest(KEY, REQUEST.id, receipt())])
  expect(await listUnpriced('chat')).toEqual([])
  expect(await db.receipts.count()).toBe(1)
  expect(await spentOn(dayOf(REQUEST.at))).toBe(7n)
})

test('a request that was refused, and one that cost nothing, leave no trace', async () => {
  await finishAnswer(KEY, { text: '', reasoning: '', changes: { status: 'failed' }, freeRequest: REQUEST.id })
  expect(await listUnpriced('chat')).toEqual([])
  await reopenAnswer(KEY, {}, { ...REQUEST, id: 'chatcmpl-2' })
  await finishAnswer(KEY, { text: '', reasoning: '', changes: { status: 'stopped' } })
  await priceRequest(KEY, 'chatcmpl-2')
  expect(await listUnpriced('chat')).toEqual([])
  expect(await db.receipts.count()).toBe(0)
})

test('an answer that goes on while its first price is open has both open', async () => {
  await finishAnswer(KEY, { text: 'Tw', reasoning: '', changes: { status: 'stopped' } })
  await reopenAnswer(KEY, { modelId: 'n' }, { ...REQUEST, id: 'chatcmpl-2' })
  expect(await stored()).toMatchObject({ status: 'streaming', modelId: 'n' })
  await finishAnswer(KEY, {
    text: 'Two',
    reasoning: '',
    changes: { status: 'done' },
    receipt: receipt('chatcmpl-2', 5n),
  })
  expect((await listUnpriced('chat'))[0]?.unpriced).toEqual([REQUEST])
  await priceRequest(KEY, REQUEST.id, receipt())
  expect(shownTurns((await loadThread('chat'))!)[0]?.receipt?.cost).toBe(12n)
})

test('a broken-off answer keeps the words that were saved last; one that ended meanwhile is left alone', async () => {
  const citations = [{ title: 'A', url: 'https://a.example' }]
  await saveUnfinished('chat', { messageId: 'a', text: 'Tw', reasoning: 'Hm', thinkingMs: 9, citations, savedAt: 1 })
  expect(await interruptAnswer(KEY)).toBe(true)
  expect(await stored()).toMatchObject({ status: 'interrupted', thinkingMs: 9, citations, unpriced: [REQUEST] })
  await reopenAnswer(KEY, {}, { ...REQUEST, id: 'chatcmpl-2' })
  await finishAnswer(KEY, { text: 'Two.', reasoning: '', changes: { status: 'done' } })
  expect(await interruptAnswer(KEY)).toBe(false)
  expect(shownTurns((await loadThread('chat'))!)[0]?.text).toBe('Two.')
})

test('what was paid for an answer that was deleted meanwhile stays in the chat', async () => {
  await removeMessage('chat', 'a')
  await finishAnswer(KEY, { text: 'Two.', reasoning: '', changes: { status: 'done' }, receipt: receipt() })
  expect((await loadThread('chat'))!.receipts).toHaveLength(1)
  expect((await loadThread('chat'))!.messages).toEqual([])
})

test('an answer that is deleted before its price is known is still paid for in the chat, once', async () => {
  await finishAnswer(KEY, { text: 'Tw', reasoning: '', changes: { status: 'stopped' } })
  const removed = (await removeMessage('chat', 'a'))!
  expect(await listUnpriced('chat')).toMatchObject([{ id: '', unpriced: [REQUEST] }])
  await restoreRemoved(removed)
  expect(await listUnpriced('chat')).toHaveLength(2)
  for (const id of ['a', '']) await priceRequest({ id, conversationId: 'chat' }, REQUEST.id, receipt())
  expect(await listUnpriced('chat')).toEqual([])
  expect(await db.receipts.count()).toBe(1)
})

test('a pause is claimed once', async () => {
  const failure = { code: 'PAYMENT_REQUIRED', message: 'm', at: 5 } as const
  await finishAnswer(KEY, { text: '', reasoning: '', changes: { status: 'failed', failure } })
  const claims = ['x', 'y'].map((id) => claimPaused(KEY, {}, failure, { ...REQUEST, id }))
  expect((await Promise.all(claims)).sort()).toEqual([false, true])
})

test('a temporary chat is in memory only, and one of another page is nowhere', async () => {
  vi.resetModules()
  const otherPage = await import('@/lib/browser/storage/database')
  expect(() => otherPage.databaseOf('temporary-1')).toThrow('has been deleted')
  otherPage.db.close()
  const id = await newTemporaryId('1')
  const before = await Promise.all(db.tables.map((table) => table.toArray()))
  await addMessages({ id, title: 'secret', modelId: 'm' }, [{ message: { ...answer, conversationId: id }, text: 'x' }])
  const paid = { ...receipt('chatcmpl-9'), conversationId: id }
  await finishAnswer(
    { id: 'a', conversationId: id },
    { text: 'y', reasoning: '', changes: { status: 'done' }, receipt: paid },
  )
  expect(shownTurns((await loadThread(id))!)[0]?.text).toBe('y')
  expect(await Promise.all(db.tables.map((table) => table.toArray()))).toEqual(before)
})
