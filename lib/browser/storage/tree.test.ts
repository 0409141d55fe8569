import 'fake-indexeddb/auto'
import { beforeEach, expect, test } from 'vitest'
import {
  type ForkExtent,
  forkConversation,
  keepCompared,
  removeMessage,
  restoreRemoved,
  showBranch,
} from '@/lib/browser/storage/branches'
import { addMessages, loadThread } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import type { Message } from '@/lib/browser/storage/records'
import { shownTurns, totalCost } from '@/lib/browser/storage/thread'
import { nano } from '@/lib/contract/money'

const CHAT = { id: 'chat', title: 'Tides', modelId: 'm', settings: { temperature: 1 } }
let clock = 0
const add = (id: string, parentId: string, role: Message['role'], more: Partial<Message> = {}) =>
  addMessages(CHAT, [
    { message: { id, conversationId: CHAT.id, parentId, role, status: 'done', createdAt: ++clock, ...more }, text: id },
  ])
const shown = async (id = CHAT.id) => shownTurns((await loadThread(id))!).map(({ text }) => text)

// q1 → a1 → q2 → a2, with another answer a1b, and another question q1b.
beforeEach(async () => {
  await Promise.all(db.tables.map((table) => table.clear()))
  await add('q1', '', 'user')
  await add('a1', 'q1', 'assistant')
  await add('q2', 'a1', 'user')
  await add('a2', 'q2', 'assistant')
  await add('a1b', 'q1', 'assistant')
  await add('q1b', '', 'user')
  await showBranch('chat', '', 'q1')
  await showBranch('chat', 'q1', 'a1')
})

test.each([
  ['path', ['q1', 'a1'], ['q1', 'a1']],
  ['versions', ['q1', 'a1'], ['q1', 'a1', 'a1b', 'q1b']],
  ['everything', ['q1', 'a1', 'q2', 'a2'], ['q1', 'a1', 'q2', 'a2', 'a1b', 'q1b']],
] as [ForkExtent, string[], string[]][])('a fork with %s shows %j', async (extent, path, all) => {
  await forkConversation('chat', 'a1', extent, 'fork')
  const copy = (await loadThread('fork'))!
  expect(await shown('fork')).toEqual(path)
  expect(copy.parts.map(({ payload }) => payload).sort()).toEqual([...all].sort())
  expect(copy.conversation).toMatchObject({ title: 'Branch of Tides', isNamed: true, settings: { temperature: 1 } })
  const ids = new Set((await loadThread('chat'))!.messages.map(({ id }) => id))
  expect(copy.messages.filter(({ id }) => ids.has(id))).toEqual([])
  expect(await shown()).toEqual(['q1', 'a1', 'q2', 'a2'])
})

test('a fork at a hidden answer shows that answer', async () => {
  await forkConversation('chat', 'a1b', 'everything', 'fork')
  expect(await shown('fork')).toEqual(['q1', 'a1b'])
})

test('a fork takes no receipts along, so that what was paid is counted once', async () => {
  const tokens = { input: 1, output: 1, cached: 0, reasoning: 0 }
  await db.receipts.add({
    ...{ id: 'r', conversationId: 'chat', messageId: 'a1', model: 'm', tokens },
    cost: nano(5n),
    durationMs: 1,
    at: 1,
  })
  await forkConversation('chat', 'a1', 'everything', 'fork')
  expect((await loadThread('fork'))!.receipts).toEqual([])
  expect(totalCost(await db.receipts.toArray())).toBe(5n)
})

test('what was said under a version is back when that version is', async () => {
  await showBranch('chat', 'q1', 'a1b')
  expect(await shown()).toEqual(['q1', 'a1b'])
  await showBranch('chat', 'q1', 'a1')
  expect(await shown()).toEqual(['q1', 'a1', 'q2', 'a2'])
})

test('a turn is deleted with what follows it, and can be put back as it was', async () => {
  const before = await loadThread('chat')
  const removed = await removeMessage('chat', 'a1')
  expect(await shown()).toEqual(['q1', 'a1b'])
  expect(await db.parts.count()).toBe(3)
  await restoreRemoved(removed!)
  expect(await loadThread('chat')).toEqual(before)
  expect(await removeMessage('chat', 'lost')).toBeUndefined()
})

test('keeping one answer of a comparison shows it, and the other stays a version', async () => {
  await add('x', 'q2', 'assistant', { comparison: 'c' })
  await add('y', 'q2', 'assistant', { comparison: 'c' })
  expect(shownTurns((await loadThread('chat'))!).at(-1)?.compared).toHaveLength(2)
  await keepCompared('chat', 'q2', 'x')
  const last = shownTurns((await loadThread('chat'))!).at(-1)
  expect(last).toMatchObject({ id: 'x', versions: ['a2', 'x', 'y'] })
  expect(last?.compared).toBeUndefined()
})
