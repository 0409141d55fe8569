import { afterAll, expect, test } from 'vitest'
import { answerBound, createUsageCounter, measure } from '@/lib/endpoints/chat/usage'
import type { ChatMessage, TokenUsage } from '@/lib/services/engines/engine'
import { closeEngines, installEngines } from '@/lib/services/engines/registry'
import type { Model } from '@/lib/services/models/model'

await installEngines({ house: { baseUrls: ['http://127.0.0.1:9/v1'] } }, new Set(['house']))
afterAll(closeEngines)

const model = { id: 'atlas', engine: 'house', contextTokens: 1_000, maxCompletionTokens: 400 } as Model
const say = (chars: number): ChatMessage[] => [{ role: 'user', content: 't'.repeat(chars) }]
const asked = { n: 1, outputTokens: 400 }
const failure = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

test('a prompt is estimated in tokens and bounded by its bytes', () => {
  const { bounds, maxTokens } = measure([...say(350), { role: 'assistant', content: 'Aye' }], model, asked)
  expect(bounds).toEqual({ inputTokens: 102, inputBytes: 354, messages: 2, maxOutputTokens: 400 })
  expect(maxTokens).toBe(400)
})

test('tools are part of the prompt', () => {
  const tools = [{ type: 'function' as const, function: { name: 'note', description: 'x'.repeat(300) } }]
  const without = measure(say(10), model, asked).bounds
  const { inputTokens, inputBytes } = measure(say(10), model, { ...asked, tools }).bounds
  expect(inputBytes - without.inputBytes).toBe(JSON.stringify(tools).length)
  expect(inputTokens - without.inputTokens).toBe(Math.ceil(JSON.stringify(tools).length / 3))
})

test('a vendor’s own words about tools or a schema, and thoughts that go back, may count as well', () => {
  const plain = measure(say(10), model, asked).bounds
  const schema = { type: 'object' }
  const responseFormat = { type: 'json_schema' as const, json_schema: { name: 'answer', schema } }
  const formatted = measure(say(10), model, { ...asked, responseFormat }).bounds
  expect(plain.instructionTokens).toBeUndefined()
  expect(formatted.instructionTokens).toBe(1_024)
  expect(formatted.inputBytes - plain.inputBytes).toBe(JSON.stringify(responseFormat).length)
  const details = [{ type: 'reasoning.text', text: 'hm', signature: 's'.repeat(400) }]
  const thinking: ChatMessage = {
    role: 'assistant',
    content: 'Aye',
    reasoning_details: details,
    reasoning_content: 'hm',
  }
  const { reasoning_details: _, reasoning_content: __, ...silent } = thinking
  const bytesOf = (message: ChatMessage) => measure([...say(10), message], model, asked).bounds.inputBytes
  expect(bytesOf(thinking) - bytesOf(silent)).toBe(JSON.stringify(details).length + 2)
})

test('every choice may be as long', () => {
  expect(measure(say(10), model, { n: 4, outputTokens: 50 })).toMatchObject({
    maxTokens: 50,
    bounds: { maxOutputTokens: 200 },
  })
})

test.each([
  [50, 100, { maxTokens: 50, bound: 'firm' }],
  [50, 5_000, { maxTokens: 50, bound: 'firm' }],
  [400, 100, { maxTokens: 400 }],
  [10_000, 100, { maxTokens: 400 }],
  [undefined, 600, { maxTokens: 400 }],
  [undefined, 601, { maxTokens: 400, bound: 'open' }],
  [10_000, 5_000, { maxTokens: 400, bound: 'open' }],
])('%s tokens asked after about %d of a prompt: %j', (outputTokens, input, expected) => {
  expect(answerBound(outputTokens, model, input)).toEqual(expected)
})

test('a text with more characters than tokens can have is refused with the numbers; up to there the engine judges', () => {
  expect(measure(say(8_000), model, asked).maxTokens).toBe(400)
  expect(failure(() => measure(say(8_001), model, asked))).toMatchObject({
    code: 'context_length_exceeded',
    message: expect.stringMatching(/1000 tokens.*8001 characters/),
  })
})

test('media count for the hold; their rough estimate neither refuses nor shortens the answer', () => {
  const { bounds, maxTokens } = measure(say(350), model, asked, { estimate: 5_000, most: 50_000 })
  expect(bounds).toMatchObject({ inputTokens: 5_100, inputBytes: 50_350 })
  expect(maxTokens).toBe(400)
})

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
