import { afterAll, expect, test } from 'vitest'
import { answerBound, measure } from '@/lib/chat/bounds'
import type { ChatMessage } from '@/lib/engines/engine'
import { closeEngines, installEngines } from '@/lib/engines/registry'
import type { Model } from '@/lib/models/model'

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

test('every choice may be as long', () => {
  expect(measure(say(10), model, { n: 4, outputTokens: 50 })).toMatchObject({
    maxTokens: 50,
    bounds: { maxOutputTokens: 200 },
  })
})

test.each([
  [10_000, 100, 400],
  [50, 100, 50],
  [400, 700, 300],
  [400, 5_000, 16],
])('of %d tokens asked after %d of a prompt, %d are possible', (outputTokens, input, expected) => {
  expect(answerBound(outputTokens, model, input)).toBe(expected)
})

test('a text of twice the context is refused; up to there the engine judges', () => {
  expect(measure(say(6_900), model, asked).maxTokens).toBe(16)
  expect(failure(() => measure(say(7_100), model, asked))).toMatchObject({
    code: 'context_length_exceeded',
    message: expect.stringContaining('1000 tokens'),
  })
})

test('media count for the hold and the bound; their rough estimate neither refuses nor takes all the room', () => {
  const { bounds, maxTokens } = measure(say(350), model, asked, { estimate: 5_000, most: 50_000 })
  expect(bounds).toMatchObject({ inputTokens: 5_100, inputBytes: 50_350 })
  expect(maxTokens).toBe(400)
  expect(measure(say(350), model, { n: 1, outputTokens: 400 }, { estimate: 200, most: 50_000 }).maxTokens).toBe(400)
})
