import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddedChatEngine, type EmbeddedChatEngine } from '@/lib/services/engines/embedded/chat/chat'
import { chatRequest, collect } from '@/lib/services/engines/embedded/testing/random-chat-model'
import type { ChatRequest } from '@/lib/services/engines/engine'

const DOWNLOAD_MS = 300_000
let engine: EmbeddedChatEngine

beforeAll(async () => {
  engine = createEmbeddedChatEngine({ profile: 'lean', dataDir: path.resolve('.cache') })
  await engine.load()
}, DOWNLOAD_MS)
afterAll(() => engine.close())

const ask = (question: string, more: Partial<ChatRequest> = {}) =>
  collect(
    engine.stream(
      chatRequest({
        model: 'minimind2-small',
        messages: [{ role: 'user', content: question }],
        sampling: { seed: 7 },
        ...more,
      }),
      new AbortController().signal,
    ),
  )

test('the model knows the capital of France, and its tokens are counted', async () => {
  const { text, reasons, usage } = await ask('What is the capital of France?')
  expect(text).toContain('Paris')
  expect(reasons).toEqual(['stop'])
  // The template brings a system prompt of its own: 17 tokens and the marks of three turns.
  expect(usage!.inputTokens).toBeGreaterThan(20)
  expect(usage!.outputTokens).toBeGreaterThan(5)
})

test('an answer in a JSON schema parses and fits', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 20 }, population: { type: ['integer', 'null'] } },
    required: ['city'],
  }
  const { text } = await ask('Paris as JSON', {
    responseFormat: { type: 'json_schema', json_schema: { name: 'city', schema } },
  })
  expect(JSON.parse(text)).toMatchObject({ city: expect.any(String) })
})

test('a forced tool is called with arguments of its schema', async () => {
  const parameters = { type: 'object', properties: { unit: { enum: ['celsius', 'fahrenheit'] } } }
  const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }]
  const { calls, reasons } = await ask('How warm is it?', { tools, toolChoice: 'required' })
  expect(calls[0]).toMatchObject({ name: 'get_weather' })
  expect(JSON.parse(calls[0]!.arguments).unit).toMatch(/^(celsius|fahrenheit)$/)
  expect(reasons).toEqual(['tool_calls'])
})

test('a tool that may be called is not: the model answers in words', async () => {
  const tools = [{ type: 'function' as const, function: { name: 'get_weather' } }]
  const { calls, text } = await ask('What is the capital of France?', { tools, toolChoice: 'auto' })
  expect({ calls, says: text.includes('Paris') }).toEqual({ calls: [], says: true })
})

test('Chinese comes in whole characters', async () => {
  const { text, events } = await ask('中国的首都是哪里？', { maxTokens: 20 })
  expect(text).toContain('北京')
  expect(events.some((event) => event.type === 'text-delta' && event.text.includes('\uFFFD'))).toBe(false)
})

test('a model that the profile does not have is offline', async () => {
  await expect(ask('Hello', { model: 'tinyllama-1.1b-chat' })).rejects.toMatchObject({ reason: 'offline' })
})

test('an answer in a nested schema fits it, and its tokens have their probabilities', async () => {
  const schema = {
    $defs: { City: { type: 'object', properties: { name: { type: 'string', maxLength: 12 } }, required: ['name'] } },
    type: 'object',
    properties: {
      kind: { enum: ['country', 'continent'] },
      cities: { type: 'array', items: { $ref: '#/$defs/City' }, minItems: 1, maxItems: 2 },
      stars: { type: 'integer', minimum: 1, maximum: 5 },
    },
    additionalProperties: false,
  }
  const { text, logprobs } = await ask('France as JSON', {
    logprobs: { top: 2 },
    responseFormat: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
  })
  const value = JSON.parse(text)
  expect(['country', 'continent']).toContain(value.kind)
  expect([1, 2]).toContain(value.cities.length)
  expect(Number.isInteger(value.stars) && value.stars >= 1 && value.stars <= 5).toBe(true)
  expect(logprobs.map(({ token }) => token).join('')).toBe(text)
})

test('tokens with their probabilities are the text, blanks before words included', async () => {
  const { text, logprobs } = await ask('What is the capital of France?', { logprobs: { top: 5 } })
  expect(text).toContain('Paris')
  expect(logprobs.map(({ token }) => token).join('')).toBe(text)
  expect(logprobs.every(({ logprob, top_logprobs: top = [] }) => logprob <= 0 && top.length === 5)).toBe(true)
})

test('the next turn of a conversation finds the one before', async () => {
  const cacheScope = 'account-1'
  const question = { role: 'user' as const, content: 'What is the capital of France?' }
  const first = await ask('', { messages: [question], cacheScope })
  const messages = [
    question,
    { role: 'assistant' as const, content: first.text },
    { role: 'user' as const, content: 'And of Italy?' },
  ]
  const next = await ask('', { messages, cacheScope })
  expect(next.usage!.cachedTokens).toBeGreaterThanOrEqual(first.usage!.inputTokens - 1)
  expect((await ask('', { messages, cacheScope: 'account-2' })).usage!.cachedTokens).toBe(0)
})
