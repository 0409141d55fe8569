import { expect, test } from 'vitest'
import type { StoredThread } from '@/lib/browser/storage/chats'
import type { Message, Part, Receipt } from '@/lib/browser/storage/records'
import { branchTokens, keepUnchanged, shownTurns, sideCosts, totalCost, turnsTo } from '@/lib/browser/storage/thread'
import { nano } from '@/lib/contract/money'

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

test('the parts that sources and readings took are summed, and are no cost of their own', () => {
  const parts = { sourcesCost: 20n, readingCost: 30n } as Partial<Receipt>
  const turns = shownTurns(
    thread(
      FORKED,
      [],
      [
        { ...receipt('a1b', 100n), ...parts },
        { ...receipt('a1b', 23n), ...parts },
      ],
    ),
  )
  expect(turns[1]?.receipt).toMatchObject({ cost: 123n, sourcesCost: 40n, readingCost: 60n })
  const [, without] = shownTurns(thread(FORKED, [], [receipt('a1b', 100n)]))
  expect(without?.receipt).not.toHaveProperty('readingCost')
})

test('the chat total counts the branches that are not shown', () => {
  expect(totalCost([receipt('a1', 100n), receipt('a1b', 23n)])).toBe(123n)
  expect(totalCost([])).toBe(0n)
})

test('what the answers on screen took and the lines beside them add up to the chat', () => {
  const receipts = [
    receipt('a1', 100n),
    receipt('a1b', 23n),
    receipt('deleted', 7n),
    { ...receipt('', 4n), purpose: 'title' as const },
    { ...receipt('', 3n), purpose: 'suggestions' as const },
    receipt('', 2n),
  ]
  const turns = shownTurns(thread(FORKED, [], receipts))
  const side = sideCosts(receipts, turns)
  expect(side).toEqual({ title: 6n, suggestions: 3n, others: 107n })
  const shown = turns.reduce((sum, turn) => sum + (turn.receipt?.cost ?? 0n), 0n)
  expect(shown + side.title + side.suggestions + side.others).toBe(totalCost(receipts))
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

test('the answers of a comparison stand together until one is kept', () => {
  const asked = [
    message('q', '', 'user'),
    message('a', 'q', 'assistant', { comparison: 'x' }),
    message('b', 'q', 'assistant', { comparison: 'x' }),
    message('c', 'q', 'assistant'),
  ]
  expect(
    shownTurns(thread(asked, [], [], { q: 'b' }))
      .at(-1)
      ?.compared?.map(({ id }) => id),
  ).toEqual(['a', 'b'])
  expect(shownTurns(thread(asked)).at(-1)?.compared).toBeUndefined()
})

test('the way to a message is found on hidden branches, too', () => {
  expect(turnsTo(thread(FORKED), 'a2').map(({ id }) => id)).toEqual(['q1', 'a1', 'q2', 'a2'])
  expect(turnsTo(thread(FORKED), 'lost')).toEqual([])
})

test('a ring of parents has an end', () => {
  const ring = [
    message('x', 'z', 'user'),
    message('y', 'x', 'assistant'),
    message('z', 'y', 'user'),
    message('q', '', 'user'),
  ]
  expect(shownTurns(thread(ring)).map(({ id }) => id)).toEqual(['q'])
  expect(turnsTo(thread(ring), 'y').length).toBe(3)
})

test('a branch takes what its last request took, and what came after it', () => {
  const counted = shownTurns(thread(FORKED, [part('a1b', 'Two.')], [receipt('a1b', 1n)]))
  expect(branchTokens(counted)).toBe(15)
  const after = shownTurns(
    thread([...FORKED, message('q3', 'a1b', 'user')], [part('q3', 'x'.repeat(300))], [receipt('a1b', 1n)]),
  )
  expect(branchTokens(after)).toBeGreaterThan(100)
  expect(branchTokens([])).toBe(0)
})
