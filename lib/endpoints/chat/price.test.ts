import { expect, test } from 'vitest'
import { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { perMillion, perUnit, usd } from '@/lib/contract/money'
import { mediaRoutes, planAttachments } from '@/lib/endpoints/chat/attachments'
import { boundOf, chatLines, holdAmounts, outputFor } from '@/lib/endpoints/chat/price'
import type { WebPlan } from '@/lib/endpoints/chat/web-plan'
import type { TokenUsage } from '@/lib/services/engines/engine'
import type { Model } from '@/lib/services/models/model'

const reported: TokenUsage = {
  inputTokens: 12,
  cachedTokens: 4,
  cacheWriteTokens: 0,
  outputTokens: 5,
  reasoningTokens: 2,
}
const tiered = {
  id: 'atlas',
  rates: {
    input: perMillion(1),
    output: perMillion(3),
    cacheInput: perMillion(0.25),
    extended: { thresholdTokens: 1000, input: perMillion(2), output: perMillion(6) },
  },
} as Model

test('cached tokens have their own price where there is one', () => {
  expect(chatLines(tiered, reported)).toEqual([
    { sku: 'atlas-llm-input-mtoken', units: 8, price: 1_000_000n },
    { sku: 'atlas-llm-output-mtoken', units: 5, price: 3_000_000n },
    { sku: 'atlas-llm-cache-read-mtoken', units: 4, price: 250_000n },
  ])
})

test('a prompt above the threshold has the extended price for all of it', () => {
  expect(chatLines(tiered, { ...reported, inputTokens: 1001 })).toEqual([
    { sku: 'atlas-llm-input-mtoken', units: 1001, price: 2_000_000n },
    { sku: 'atlas-llm-output-mtoken', units: 5, price: 6_000_000n },
  ])
})

test('a sum pays for the output that the dearest model leaves after the prompt', () => {
  const cheap = { id: 'b', rates: { input: perMillion(1), output: perMillion(1) } } as Model
  expect(outputFor(usd('0.00004'), [cheap, tiered], 10)).toBe(10)
  expect(outputFor(usd('0.00004'), [cheap], 10)).toBe(30)
  expect(outputFor(usd('0.000001'), [tiered], 10)).toBe(0)
  expect(outputFor(usd('0.000001'), [{ id: 'free' } as Model], 10)).toBe(Number.POSITIVE_INFINITY)
})

test('the bound is that of the dearest model, rounded up', () => {
  const cheap = { id: 'b', rates: { input: perMillion(0.0001), output: perMillion(0.0001) } } as Model
  expect(boundOf([cheap], 1, 0)).toBe(1n)
  expect(boundOf([cheap, tiered], 10, 10)).toBe(40_000n)
  expect(boundOf([{ id: 'free' } as Model], 10, 10)).toBe(0n)
})

const made = (id: string, more: Partial<Model> = {}) =>
  ({
    id,
    contextTokens: 100_000,
    maxCompletionTokens: 8_000,
    capabilities: {},
    rates: { input: perMillion(1), output: perMillion(10) },
    ...more,
  }) as Model
const model = made('atlas')
const free = made('free', { rates: undefined })
const dear = made('dear', { rates: { input: perMillion(100), output: perMillion(100) } })
const reader = made('reader', { capabilities: { supportsVision: true } })
const ear = made('ear', { rates: undefined, secondRate: perUnit(0.001) })

const IMAGE = { type: 'image_url', image_url: { url: 'https://a.example/x.png' } }
const audio = (bytes: number) => ({ type: 'input_audio', input_audio: { data: 'A'.repeat((bytes * 4) / 3) } })

function preparation(one: Model, parts: unknown[], web: WebPlan = { mode: 'none' }, assists = {}) {
  const { messages } = ChatCompletionRequest.parse({ model: 'm', messages: [{ role: 'user', content: parts }] })
  const routes = mediaRoutes(one, assists)
  return { messages, routes, web, attachments: planAttachments(messages, one, routes) }
}

test('a prompt with a fifth more, and a stretch of the answer; the least is a few tokens', () => {
  expect(holdAmounts([model], 1_000, 8_000, 1, undefined)).toEqual({
    amount: usd('0.04216'), // 1,200 × 1 + 4,096 × 10
    minimum: usd('0.00136'), // 1,200 × 1 + 16 × 10
  })
  expect(holdAmounts([model], 1_000, 10, 3, undefined)).toEqual({ amount: usd('0.0015'), minimum: usd('0.0015') })
})

test('the dearest of the models that may serve decides', () => {
  expect(holdAmounts([model, dear], 1_000, 10, 1, undefined).amount).toBe(usd('0.121'))
})

test('a free model holds nothing', () => {
  expect(holdAmounts([free], 1_000, 8_000, 1, undefined)).toEqual({ amount: 0n, minimum: 0n })
  expect(holdAmounts([free], 1_000, 8_000, 1, preparation(free, [{ type: 'text', text: 'Hi' }]))).toEqual({
    amount: 0n,
    minimum: 0n,
  })
})

test.each<[WebPlan, string]>([
  [{ mode: 'search', query: 'x' }, '0.01'],
  [{ mode: 'tool', query: 'x' }, '0.01'],
  [{ mode: 'scrape', urls: ['https://a.example/', 'https://b.example/'] }, '0.02'],
  [{ mode: 'native', maxResults: 10 }, '0.10'],
])('what the web may cost is set aside beside, and is not in the least: %j', (web, dollars) => {
  const of = (one: Model) => holdAmounts([one], 1_000, 10, 1, preparation(one, [{ type: 'text', text: 'Hi' }], web))
  const without = holdAmounts([model], 1_000, 10, 1, undefined)
  expect(of(model).amount - without.amount).toBe(usd(dollars))
  expect(of(model).minimum - without.minimum).toBe(1n)
  // Without a hold there would be nothing to charge the search to.
  expect(of(free)).toEqual({ amount: usd(dollars), minimum: 1n })
})

test('an unseen image counts as tokens for who sees, and as a reading for who is helped', () => {
  const seer = made('seer', { capabilities: { supportsVision: true } })
  const text = holdAmounts([model], 1_000, 10, 1, undefined).amount
  expect(holdAmounts([seer], 1_000, 10, 1, preparation(seer, [IMAGE])).amount - text).toBe(usd('0.002'))
  const helped = holdAmounts([model], 1_000, 10, 1, preparation(model, [IMAGE, IMAGE], undefined, { vision: reader }))
  // Tokens of both in words, and 8,392 tokens in and 4,096 out for each reading.
  expect(helped.amount - text).toBe(usd((0.004 + 2 * (0.008392 + 0.04096)).toFixed(9)))
  expect(helped.minimum).toBe(holdAmounts([model], 1_000, 10, 1, undefined).minimum + 1n)
})

test('unheard sound is set aside by its size, and no more than half an hour of it', () => {
  const of = (bytes: number) =>
    holdAmounts([free], 10, 10, 1, preparation(free, [audio(bytes)], undefined, { audio: ear })).amount
  expect(of(3_000)).toBe(usd('0.003'))
  expect(of(9_000_000)).toBe(usd('1.8'))
})
