import { expect, test } from 'vitest'
import { perMillion, usd } from '@/lib/contract/money'
import { boundOf, chatLines, outputFor } from '@/lib/endpoints/chat/price'
import type { TokenUsage } from '@/lib/services/engines/engine'
import type { Model } from '@/lib/services/models/model'

const reported: TokenUsage = {
  inputTokens: 12,
  cachedTokens: 4,
  cacheWriteTokens: 0,
  outputTokens: 5,
  reasoningTokens: 2,
}
const model = {
  id: 'atlas',
  rates: {
    input: perMillion(1),
    output: perMillion(3),
    cacheInput: perMillion(0.25),
    extended: { thresholdTokens: 1000, input: perMillion(2), output: perMillion(6) },
  },
} as Model

test('cached tokens have their own price where there is one', () => {
  expect(chatLines(model, reported)).toEqual([
    { sku: 'atlas-llm-input-mtoken', units: 8, price: 1_000_000n },
    { sku: 'atlas-llm-output-mtoken', units: 5, price: 3_000_000n },
    { sku: 'atlas-llm-cache-read-mtoken', units: 4, price: 250_000n },
  ])
})

test('a prompt above the threshold has the extended price for all of it', () => {
  expect(chatLines(model, { ...reported, inputTokens: 1001 })).toEqual([
    { sku: 'atlas-llm-input-mtoken', units: 1001, price: 2_000_000n },
    { sku: 'atlas-llm-output-mtoken', units: 5, price: 6_000_000n },
  ])
})

test('a sum pays for the output that the dearest model leaves after the prompt', () => {
  const cheap = { id: 'b', rates: { input: perMillion(1), output: perMillion(1) } } as Model
  expect(outputFor(usd('0.00004'), [cheap, model], 10)).toBe(10)
  expect(outputFor(usd('0.00004'), [cheap], 10)).toBe(30)
  expect(outputFor(usd('0.000001'), [model], 10)).toBe(0)
  expect(outputFor(usd('0.000001'), [{ id: 'free' } as Model], 10)).toBe(Number.POSITIVE_INFINITY)
})

test('the bound is that of the dearest model, rounded up', () => {
  const cheap = { id: 'b', rates: { input: perMillion(0.0001), output: perMillion(0.0001) } } as Model
  expect(boundOf([cheap], 1, 0)).toBe(1n)
  expect(boundOf([cheap, model], 10, 10)).toBe(40_000n)
  expect(boundOf([{ id: 'free' } as Model], 10, 10)).toBe(0n)
})
