import { expect, test } from 'vitest'
import { createUsageCounter } from '@/lib/endpoints/chat/usage'
import type { TokenUsage } from '@/lib/services/engines/engine'

const bounds = { inputTokens: 10, inputBytes: 40, messages: 1, maxOutputTokens: 100 }
const reported: TokenUsage = {
  inputTokens: 12,
  cachedTokens: 4,
  cacheWriteTokens: 0,
  outputTokens: 5,
  reasoningTokens: 2,
}

test('what the engine reports is believed, and zero is a report', () => {
  const counter = createUsageCounter(bounds)
  counter.count({ type: 'text-delta', choice: 0, text: 'Hello' })
  counter.count({ type: 'usage', ...reported, outputTokens: 0, reasoningTokens: 0 })
  expect(counter.usage()).toMatchObject({ inputTokens: 12, outputTokens: 0 })
  expect(counter.isEstimated()).toBe(false)
})

test.each([{ outputTokens: 101 }, { inputTokens: 1_000_000 }, { cachedTokens: 13 }, { reasoningTokens: 6 }])(
  'a count that cannot be true is not believed: %j',
  (mad) => {
    const counter = createUsageCounter(bounds)
    counter.count({ type: 'text-delta', choice: 0, text: 'Hello' })
    counter.count({ type: 'usage', ...reported, ...mad })
    expect(counter.usage()).toMatchObject({ inputTokens: 10, outputTokens: 1 })
    expect(counter.isEstimated()).toBe(true)
  },
)

test('instructions that a vendor adds for tools are believed', () => {
  const counter = createUsageCounter({ ...bounds, instructionTokens: 500 })
  counter.count({ type: 'usage', ...reported, inputTokens: 668 })
  expect(counter.usage()).toMatchObject({ inputTokens: 668 })
  counter.count({ type: 'usage', ...reported, inputTokens: 669 })
  expect(counter.usage()).toMatchObject({ inputTokens: 668 })
})

test('without a report each delta is a token, and a long one is several, up to what was allowed', () => {
  const counter = createUsageCounter(bounds)
  for (let i = 0; i < 3; i++) counter.count({ type: 'text-delta', choice: 0, text: 'tide' })
  expect(counter.usage().outputTokens).toBe(3)
  counter.count({ type: 'text-delta', choice: 0, text: 'x'.repeat(6000) })
  expect(counter.usage().outputTokens).toBe(100)
})

test.each<[string, (counter: ReturnType<typeof createUsageCounter>) => void]>([
  [
    'came in tags',
    (counter) => {
      counter.count({ type: 'text-delta', choice: 0, text: '<think>aaaaaaaaaaa</think>b' })
      counter.countThoughts([{ type: 'reasoning-delta', choice: 0, text: 'aaaaaaaaaaa' }])
    },
  ],
  [
    'came by themselves',
    (counter) => {
      counter.count({ type: 'reasoning-delta', choice: 0, text: 'aaaaaaaaaaa' })
      counter.count({ type: 'text-delta', choice: 0, text: 'bbbbbbbbbbbbbbbb' })
    },
  ],
])('thoughts that %s, and that the engine does not count, are estimated by their length', (_, say) => {
  const counter = createUsageCounter(bounds)
  say(counter)
  counter.count({ type: 'usage', ...reported, outputTokens: 70, reasoningTokens: 0 })
  expect(counter.usage()).toMatchObject({ outputTokens: 70, reasoningTokens: Math.ceil((70 * 11) / 27) })
  counter.count({ type: 'usage', ...reported, outputTokens: 70, reasoningTokens: 30 })
  expect(counter.usage()).toMatchObject({ outputTokens: 70, reasoningTokens: 30 })
})

test('an answer beyond its bound is told from one whose tokens came in pieces', () => {
  const over = (text: string, count: number) => {
    const counter = createUsageCounter(bounds)
    for (let i = 0; i < count; i++) counter.count({ type: 'text-delta', choice: 0, text })
    return counter.isOver()
  }
  expect([over('tide', 100), over('tide', 120)]).toEqual([false, true])
  expect([over('t', 200), over('t', 800)]).toEqual([false, true])
  expect([over('x'.repeat(600), 1), over('x'.repeat(800), 1)]).toEqual([false, true])
})

test('of an event that goes beyond the bound, what is within it is kept, in whole characters', () => {
  const within = (event: Parameters<ReturnType<typeof createUsageCounter>['within']>[0]) => {
    const counter = createUsageCounter(bounds)
    counter.count(event)
    return counter.within(event)
  }
  const text = (said: string) => ({ type: 'text-delta', choice: 0, text: said }) as const
  expect(within(text('x'.repeat(800)))).toEqual([text('x'.repeat(696))])
  expect(within(text(`${'x'.repeat(695)}😀${'x'.repeat(100)}`))).toEqual([text('x'.repeat(695))])
  expect(within({ type: 'tool-call-delta', choice: 0, index: 0, arguments: 'x'.repeat(800) })).toEqual([])
})
