import { expect, test } from 'vitest'
import { type EstimateInput, estimate, fileTokens, foundPrice, sourcesPrice } from '@/lib/browser/estimate'
import { attachmentOf, modelOf } from '@/lib/browser/files/testing'
import { likelyTokens } from '@/lib/contract/estimates'
import { usd } from '@/lib/contract/money'

/** One dollar a million in, three out. */
const MODEL = modelOf('Plain')
const SEER = modelOf('Seer', { supportsVision: true })
const HELPED = modelOf('Helped', {}, { images: 'Reader' })
const ask = (changes: Partial<EstimateInput> = {}) =>
  estimate({ model: MODEL, before: [], text: 'Why two tides?', attachments: [], ...changes })

test('a question costs its words, and a range for the answer', () => {
  const { tokens, low, high } = ask()
  expect(tokens).toBe(48 + 6 + 4)
  expect(low).toBe(usd('0.000538'))
  expect(high).toBe(usd('0.002698'))
})

test('the chat so far is paid for again, its files too', () => {
  const before = [{ text: 'abcd'.repeat(1_000), attachments: [attachmentOf('document', { tokens: 5_000 })] }]
  expect(ask({ before }).tokens - ask().tokens).toBe(1_000 + 6 + 5_000)
})

test('answers of the chat so far tell how long the next may be', () => {
  const short = ask({ answers: [20, 30, 25] })
  const long = ask({ answers: [2_000, 3_000, 2_500] })
  expect(short.high).toBeLessThan(long.low)
})

test('no answer is longer than the model, the settings or a cap allow', () => {
  const bounded = ask({ answers: [100_000], maxOutputTokens: 64 })
  expect(bounded.low).toBe(bounded.high)
  expect(ask({ answers: [100_000] }).high).toBe(usd('0.012346'))
})

test('thoughts are paid for, unless they are off', () => {
  const thinker = modelOf('Thinker', { supportsReasoning: true })
  expect(ask({ model: thinker }).high).toBeGreaterThan(ask().high)
  expect(ask({ model: thinker, isThinkingOff: true }).high).toBe(ask().high)
})

test.each([
  [undefined, 'x', '0', '0'],
  [{ web: 'auto' }, 'x', '0', '0.01'],
  [{ web: 'on' }, 'x', '0.01', '0.01'],
  [{ readsLinks: true }, 'no address', '0', '0'],
  [{ web: 'on', readsLinks: true }, 'https://a.example and https://b.example', '0', '0.02'],
  [{ readsLinks: true }, Array.from({ length: 9 }, (_, at) => `https://${at}.example`).join(' '), '0', '0.05'],
  [{ web: 'on', searchesX: true }, 'x', '0', '0.10'],
] as const)('sources %j cost what is looked up', (sources, text, low, high) => {
  expect(sourcesPrice(sources, text)).toEqual({ low: usd(low), high: usd(high) })
})

test('a free model is free, its sources are not', () => {
  const { price: _, ...free } = MODEL
  expect(ask({ model: free }).high).toBe(0n)
  expect(ask({ model: free, sources: { web: 'on' } }).low).toBe(usd('0.01'))
})

test('a file is counted by who takes it', () => {
  const image = attachmentOf('image', { width: 2_048, height: 1_536 })
  expect(fileTokens(image, SEER)).toBe(4_195)
  expect(fileTokens(image, HELPED)).toBe(350)
  expect(fileTokens(attachmentOf('audio', { durationMs: 10_000 }), MODEL)).toBe(320)
  expect(fileTokens(attachmentOf('document', { size: 12_000 }), MODEL)).toBe(1_000)
})

test('tokens are guessed in the middle, and nothing has none', () => {
  expect(likelyTokens('')).toBe(0)
  expect(likelyTokens('abcd')).toBe(1)
  expect(likelyTokens('潮汐')).toBe(2)
})

test.each([
  [{ web: 'on' }, 'What is new?', 6, '0.01'],
  [{ web: 'auto' }, 'What is new?', 0, '0'],
  [{ web: 'on', readsLinks: true }, 'Read https://a.example and https://b.example', 2, '0.02'],
  [{ searchesX: true }, 'What is new?', 4, '0.04'],
  [{}, 'What is new?', 3, '0.01'],
] as const)('what was found by %o costs its price', (sources, text, found, cost) => {
  expect(foundPrice(sources, text, found)).toBe(usd(cost))
})
