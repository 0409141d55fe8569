import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cleanTitle, nameChat } from '@/components/chat/name-chat'
import { modelCards } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { listUnpriced } from '@/lib/browser/storage/answers'
import { addMessages } from '@/lib/browser/storage/chats'
import { db } from '@/lib/browser/storage/database'
import type { Message } from '@/lib/browser/storage/records'

test.each([
  ['"Tides and the Moon"', 'Tides and the Moon'],
  ['**Title: Tides and the Moon.**', 'Tides and the Moon'],
  ['\n\n# Tides\nSecond line', 'Tides'],
  ['<think>Hm, a title</think>Tides', 'Tides'],
  ['<think>never ends', ''],
  ['„Gezeiten und Mond“', 'Gezeiten und Mond'],
  ['潮汐与月亮', '潮汐与月亮'],
  ['---', ''],
  ['a\u202eb', 'ab'],
  ['Answer: Tides and the Moon', 'Tides and the Moon'],
  ['**Answer:**\nTides', 'Tides'],
  ['Here is a title:\nTides', 'Tides'],
  ['标题：潮汐与月亮', '潮汐与月亮'],
  ['Question: What are tides?', ''],
  ['Give this conversation a title of two to six words', ''],
  ['The conversation is about what the tides are and why there are two of them', ''],
])('%j becomes %j', (said, title) => {
  expect(cleanTitle(said)).toBe(title)
})

test('a long title ends at a word', () => {
  const title = cleanTitle('longword '.repeat(9))
  expect(title.length).toBeLessThanOrEqual(60)
  expect(title).toMatch(/longword…$/)
})

const CHAT = { id: 'chat', title: 'What are tides', modelId: 'small' }
const REPLY = {
  id: 'chatcmpl-1',
  choices: [{ message: { content: '"Tides"' } }],
  usage: { prompt_tokens: 40, completion_tokens: 4 },
  cost: { usd: 0.000012, diem: 0 },
}

const message = (id: string, parentId: string, role: Message['role']): Message => ({
  id,
  conversationId: CHAT.id,
  parentId,
  role,
  status: 'done',
  createdAt: 1,
})

beforeEach(async () => {
  await Promise.all(db.tables.map((table) => table.clear()))
  await addMessages(CHAT, [
    { message: message('q', '', 'user'), text: 'What are tides?' },
    { message: message('a', 'q', 'assistant'), text: 'Two bulges.' },
  ])
})
afterEach(() => vi.unstubAllGlobals())

const reply = (body: unknown) => vi.fn(async (_path: string, _init: RequestInit) => Response.json(body))

test('a chat gets its title, and the receipt is kept under the chat', async () => {
  const fetched = reply(REPLY)
  vi.stubGlobal('fetch', fetched)
  const before = await db.conversations.get(CHAT.id)
  await nameChat(CHAT.id)
  expect(await db.conversations.get(CHAT.id)).toEqual({ ...before, title: 'Tides' })
  expect(await db.receipts.toArray()).toMatchObject([{ messageId: '', conversationId: 'chat', cost: 12_000n }])
  expect(await db.spending.toArray()).toMatchObject([{ spent: 12_000n }])
  const sent = JSON.parse(String(fetched.mock.calls[0]?.[1].body))
  expect(sent).toMatchObject({ model: 'small', max_completion_tokens: 16 })
  expect(sent.service_parameters).toMatchObject({ include_service_system_prompt: false, disable_thinking: true })
})

test('a chat that a person named is not asked about', async () => {
  const fetched = reply(REPLY)
  vi.stubGlobal('fetch', fetched)
  await db.conversations.update(CHAT.id, { isNamed: true })
  await nameChat(CHAT.id)
  expect(fetched).not.toHaveBeenCalled()
})

test('a demo model is not asked for a title', async () => {
  const fetched = reply(REPLY)
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('window', {})
  queryClient().setQueryData(
    modelsQuery().queryKey,
    modelCards({ data: [{ id: 'small', model_spec: { demo: true } }] }),
  )
  await nameChat(CHAT.id)
  queryClient().removeQueries(modelsQuery())
  expect(fetched).not.toHaveBeenCalled()
  expect((await db.conversations.get(CHAT.id))?.title).toBe('What are tides')
})

test('a name that a person gave meanwhile stays, and what was paid is kept all the same', async () => {
  vi.stubGlobal('fetch', async () => {
    await db.conversations.update(CHAT.id, { title: 'Mine', isNamed: true })
    return Response.json(REPLY)
  })
  await nameChat(CHAT.id)
  expect((await db.conversations.get(CHAT.id))?.title).toBe('Mine')
  expect(await db.receipts.count()).toBe(1)
})

test('a page that is left while it asks has the request noted, and one that is refused has not', async () => {
  vi.stubGlobal('fetch', async (_path: string, { headers }: { headers: Record<string, string> }) => {
    const name = headers['x-service-request-name']
    expect((await db.conversations.get(CHAT.id))?.unpriced).toMatchObject([{ id: name, model: 'small' }])
    throw new TypeError('left')
  })
  await expect(nameChat(CHAT.id)).rejects.toThrow('left')
  expect(await listUnpriced(CHAT.id)).toMatchObject([{ id: '', unpriced: [{ model: 'small' }] }])

  await db.conversations.update(CHAT.id, { unpriced: undefined })
  vi.stubGlobal('fetch', async () => Response.json({ error: { code: 'RATE_LIMIT_EXCEEDED' } }, { status: 429 }))
  await expect(nameChat(CHAT.id)).rejects.toThrow()
  expect(await listUnpriced(CHAT.id)).toEqual([])
})

test('a title that the daily credit paid for has its price, too', async () => {
  vi.stubGlobal('fetch', reply({ ...REPLY, cost: { usd: 0, diem: 0.00002 } }))
  await nameChat(CHAT.id)
  expect(await db.receipts.toArray()).toMatchObject([{ cost: 20_000n }])
  expect(await listUnpriced(CHAT.id)).toEqual([])
})

test('nothing usable leaves the first words', async () => {
  vi.stubGlobal('fetch', reply({ choices: [{ message: { content: '…' } }] }))
  await nameChat(CHAT.id)
  expect((await db.conversations.get(CHAT.id))?.title).toBe('What are tides')
})
