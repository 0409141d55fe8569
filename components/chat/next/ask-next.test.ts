import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { askNextQuestions, cleanQuestions, nextQuestion } from '@/components/chat/next/ask-next'
import { modelCards } from '@/lib/browser/models'
import { modelsQuery, queryClient } from '@/lib/browser/queries'
import { addMessages, loadThread } from '@/lib/browser/storage/chats'
import { databaseOf, db, newTemporaryId } from '@/lib/browser/storage/database'
import type { Message } from '@/lib/browser/storage/records'

test.each([
  ['Why twice?\nHow high?\nWhere?', ['Why twice?', 'How high?', 'Where?']],
  ['Here are three questions:\n1. Why twice?\n2) **How high?**\n\n- "Where?"', ['Why twice?', 'How high?', 'Where?']],
  ['["Why twice?",\n"How high?"]', ['Why twice?', 'How high?']],
  ['<think>Hm?\nWell?</think>Why twice?', ['Why twice?']],
  ['<think>never ends?', []],
  ['为什么有两次潮汐？\n潮差有多大？', ['为什么有两次潮汐？', '潮差有多大？']],
  ['لماذا مرتان؟', ['لماذا مرتان؟']],
  ['Tell me more\nCompare two places', ['Tell me more', 'Compare two places']],
  ['Why twice?\nWhy twice?', ['Why twice?']],
  ['a?\nb?\nc?\nd?', ['a?', 'b?', 'c?']],
  ['/clear all?\n@model?', ['clear all?', 'model?']],
  [`${'long '.repeat(40)}?\nShort?`, ['Short?']],
  ['> What is `my_list` in *C#*?\nIs 2 * 3 > 5?', ['What is my_list in C#?', 'Is 2 * 3 > 5?']],
  ['---\n…', []],
])('%j gives %j', (said, questions) => {
  expect(cleanQuestions(said)).toEqual(questions)
})

test('a line that broke off is left out', () => {
  expect(cleanQuestions('Why twice?\nHow hi', true)).toEqual(['Why twice?'])
})

test('whatever a model says becomes a few short lines without marks that turn or hide words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 6_000 }), fc.boolean(), (said, isCut) => {
      const questions = cleanQuestions(said, isCut)
      expect(questions.length).toBeLessThanOrEqual(3)
      for (const question of questions) {
        expect(question.length).toBeLessThanOrEqual(140)
        expect(question).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u)
        expect(question).not.toMatch(/^[/@#]/)
      }
    }),
    { numRuns: 300 },
  )
})

const CHAT = { id: 'chat', title: 'What are tides', modelId: 'small' }
const REPLY = {
  choices: [{ message: { content: 'Why twice?\nHow high?' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 90, completion_tokens: 12 },
  cost: { usd: 0.00003, diem: 0 },
}

const message = (id: string, parentId: string, role: Message['role'], conversationId = CHAT.id): Message => ({
  ...{ id, conversationId, parentId, role },
  status: 'done',
  createdAt: 1,
  ...(role === 'assistant' && { modelId: 'large' }),
})

beforeEach(async () => {
  await Promise.all(db.tables.map((table) => table.clear()))
  await addMessages(CHAT, [
    { message: message('q', '', 'user'), text: 'What are tides?' },
    { message: message('a', 'q', 'assistant'), text: 'Two bulges.' },
  ])
})
afterEach(() => vi.unstubAllGlobals())
// Temporary chats live as long as the module that holds them.
afterAll(() => vi.resetModules())

test('the model that answered is asked, and what it cost is counted with the chat', async () => {
  const fetched = vi.fn(async (_path: string, _init: RequestInit) => Response.json(REPLY))
  vi.stubGlobal('fetch', fetched)
  expect(await askNextQuestions(CHAT.id, 'a')).toEqual(['Why twice?', 'How high?'])
  const sent = JSON.parse(String(fetched.mock.calls[0]?.[1].body))
  expect(sent).toMatchObject({ model: 'large', max_completion_tokens: 140 })
  expect(sent.messages[0].content).toContain('Two bulges.')
  expect(await db.receipts.toArray()).toMatchObject([{ messageId: '', conversationId: 'chat', cost: 30_000n }])
  expect(await db.spending.toArray()).toMatchObject([{ spent: 30_000n }])
  expect((await db.conversations.get(CHAT.id))?.unpriced).toBeUndefined()
})

test('a demo model is asked nothing', async () => {
  const fetched = vi.fn(async () => Response.json(REPLY))
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('window', {})
  queryClient().setQueryData(
    modelsQuery().queryKey,
    modelCards({ data: [{ id: 'large', model_spec: { demo: true } }] }),
  )
  expect(await askNextQuestions(CHAT.id, 'a')).toBeUndefined()
  queryClient().removeQueries(modelsQuery())
  expect(fetched).not.toHaveBeenCalled()
})

test('of a long answer only its ends are sent', async () => {
  await addMessages(CHAT, [
    { message: message('q2', 'a', 'user'), text: 'And then?' },
    { message: message('a2', 'q2', 'assistant'), text: `Begin ${'x'.repeat(5_000)} end` },
  ])
  const asked = nextQuestion((await loadThread(CHAT.id))!, 'a2')
  const content = asked?.messages[0]?.content ?? ''
  expect(content).toContain('And then?')
  expect(content).toContain('Begin xx')
  expect(content).toContain('xx end')
  expect(content.length).toBeLessThan(1_700)
})

test('a question has no next one, nor has what is not there', async () => {
  const thread = (await loadThread(CHAT.id))!
  expect(nextQuestion(thread, 'q')).toBeUndefined()
  expect(nextQuestion(thread, 'gone')).toBeUndefined()
})

test('a day that is spent lets nothing be asked', async () => {
  vi.stubGlobal('localStorage', { getItem: (name: string) => (name === 'lagoon:capPerDay' ? '0.0001' : null) })
  const fetched = vi.fn(async () => Response.json({ ...REPLY, cost: { usd: 0.0001, diem: 0 } }))
  vi.stubGlobal('fetch', fetched)
  await askNextQuestions(CHAT.id, 'a')
  expect(await askNextQuestions(CHAT.id, 'a')).toBeUndefined()
  expect(fetched).toHaveBeenCalledTimes(1)
})

test('a temporary chat has its cost, and the database that is kept has nothing of it', async () => {
  const id = await newTemporaryId('x')
  await addMessages({ ...CHAT, id }, [
    { message: message('tq', '', 'user', id), text: 'A secret?' },
    { message: message('ta', 'tq', 'assistant', id), text: 'Yes.' },
  ])
  const before = await Promise.all(db.tables.map((table) => table.toArray()))
  vi.stubGlobal('fetch', async () => Response.json(REPLY))
  expect(await askNextQuestions(id, 'ta')).toEqual(['Why twice?', 'How high?'])
  expect(await Promise.all(db.tables.map((table) => table.toArray()))).toEqual(before)
  expect(await databaseOf(id).receipts.toArray()).toMatchObject([{ cost: 30_000n }])
})
