import { expect, test } from 'vitest'
import type { Message, Part, Receipt, StoredThread } from '@/lib/client/history'
import { keepUnchanged, shownTurns, totalCost } from '@/lib/client/thread'
import { nano } from '@/lib/core/money'

let clock = 0
const message = (id: string, parentId: string, role: Message['role'], more: Partial<Message> = {}): Message => ({
  id,
  parentId,
  role,
  conversationId: 'c',
  status: 'done',
  createdAt: ++clock,
  ...more,
})
const part = (messageId: string, payload: string, type: Part['type'] = 'text'): Part => ({
  messageId,
  conversationId: 'c',
  i: type === 'text' ? 1 : 0,
  type,
  payload,
})
const receipt = (messageId: string, cost: bigint): Receipt => ({
  id: `${messageId}-${cost}`,
  conversationId: 'c',
  messageId,
  model: 'm',
  tokens: { input: 10, output: 5, cached: 1, reasoning: 2 },
  cost: nano(cost),
  durationMs: 1500,
  at: ++clock,
})
const thread = (messages: Message[], parts: Part[] = [], receipts: Receipt[] = [], branches = {}): StoredThread => ({
  conversation: { id: 'c', title: 't', isNamed: false, createdAt: 0, updatedAt: 0, modelId: 'm', branches },
  messages,
  parts,
  receipts,
})

const FORKED = [
  message('q1', '', 'user'),
  message('a1', 'q1', 'assistant'),
  message('q2', 'a1', 'user'),
  message('a2', 'q2', 'assistant'),
  message('a1b', 'q1', 'assistant'),
]

test('the newest version of each turn is shown, with its words', () => {
  const turns = shownTurns(thread(FORKED, [part('q1', 'Tides?'), part('a1b', 'Hm', 'reasoning'), part('a1b', 'Two.')]))
  expect(turns.map((turn) => turn.id)).toEqual(['q1', 'a1b'])
  expect(turns[1]).toMatchObject({ text: 'Two.', reasoning: 'Hm', versions: ['a1', 'a1b'] })
})

test('a remembered version is shown down to the leaf that was last seen under it', () => {
  const turns = shownTurns(thread(FORKED, [], [], { q1: 'a1' }))
  expect(turns.map((turn) => turn.id)).toEqual(['q1', 'a1', 'q2', 'a2'])
})

test('a remembered version that is gone gives way to the newest', () => {
  expect(shownTurns(thread(FORKED, [], [], { q1: 'lost' })).at(-1)?.id).toBe('a1b')
})

test('an answer that was continued has one receipt, the sum of its requests', () => {
  const turns = shownTurns(thread(FORKED, [], [receipt('a1b', 100n), receipt('a1b', 23n)]))
  expect(turns[1]?.receipt).toMatchObject({
    cost: 123n,
    durationMs: 3000,
    tokens: { input: 20, output: 10, cached: 2, reasoning: 4 },
  })
})

test('the chat total counts the branches that are not shown', () => {
  expect(totalCost([receipt('a1', 100n), receipt('a1b', 23n)])).toBe(123n)
  expect(totalCost([])).toBe(0n)
})

test('turns that did not change are the same objects', () => {
  const before = shownTurns(thread(FORKED, [part('q1', 'Tides?')]))
  const after = keepUnchanged(before, shownTurns(thread(FORKED, [part('q1', 'Tides?'), part('a1b', 'Two.')])))
  expect(after[0]).toBe(before[0])
  expect(after[1]).not.toBe(before[1])
})

test('an empty chat has no turns', () => {
  expect(shownTurns(thread([]))).toEqual([])
})
