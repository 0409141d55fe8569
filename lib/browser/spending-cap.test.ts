import { expect, test } from 'vitest'
import {
  fitToCap,
  fitWithOtherCosts,
  isDaySpent,
  MIN_OUTPUT_TOKENS,
  parseCap,
  promptTokens,
  worstCase,
} from '@/lib/browser/spending-cap'
import { usd } from '@/lib/contract/money'

const PRICE = { input: 0.4, output: 1.2 }

test.each([
  ['5', usd('5')],
  ['0.05', usd('0.05')],
  ['$ 2.50', usd('2.5')],
  ['2,50', usd('2.5')],
  ['0,005', usd('0.005')],
  ['.5', usd('0.5')],
  ['10000', usd('10000')],
])('reads a cap of %s', (text, cap) => {
  expect(parseCap(text)).toBe(cap)
})

test.each(['', '0', '0.00', '-1', 'much', '1e2', '0.00001', '10001', '1,000', '5.5.5'])(
  'takes %s for no cap',
  (text) => {
    expect(parseCap(text)).toBeUndefined()
  },
)

test('a bounded message never costs more than the cap, and one token more would', () => {
  for (const cap of [usd('0.001'), usd('0.0123'), usd('1')]) {
    const fit = fitToCap(cap, 500, PRICE)
    if (fit.kind !== 'bounded') throw new Error(fit.kind)
    expect(fit.atMost).toBeLessThanOrEqual(cap)
    expect(worstCase(500, fit.maxOutputTokens + 1, PRICE)).toBeGreaterThan(cap)
    expect(fit.maxOutputTokens).toBeGreaterThanOrEqual(MIN_OUTPUT_TOKENS)
  }
})

test('a prompt that leaves no room for an answer is refused, with the cap it would take', () => {
  const fit = fitToCap(usd('0.0002'), 500, PRICE)
  if (fit.kind !== 'too-much') throw new Error(fit.kind)
  expect(fit.minimum).toBe(worstCase(500, MIN_OUTPUT_TOKENS, PRICE))
  expect(fitToCap(fit.minimum, 500, PRICE).kind).toBe('bounded')
})

test('without a cap, or with a free model, nothing is bounded', () => {
  expect(fitToCap(undefined, 500, PRICE)).toEqual({ kind: 'free' })
  expect(fitToCap(usd('1'), 500, undefined)).toEqual({ kind: 'free' })
  expect(fitToCap(usd('1'), 500, { input: 0, output: 0 })).toEqual({ kind: 'free' })
  expect(fitToCap(usd('1'), 500, { input: 0.4, output: 0 })).toEqual({ kind: 'free' })
})

test('a prompt is guessed on the high side, in every script', () => {
  const english = 'The quick brown fox jumps over the lazy dog. '.repeat(100)
  // A byte-pair tokenizer makes ten tokens of the sentence.
  expect(promptTokens([{ content: english }])).toBeGreaterThan(1_000)
  expect(promptTokens([{ content: '潮'.repeat(100) }])).toBeGreaterThanOrEqual(150)
  expect(promptTokens([])).toBeGreaterThan(0)
})

test('a day is spent when its cap is reached', () => {
  expect(isDaySpent(usd('4.99'), usd('5'))).toBe(false)
  expect(isDaySpent(usd('5'), usd('5'))).toBe(true)
  expect(isDaySpent(usd('500'), undefined)).toBe(false)
})

test('files count by what they were guessed at, and without a guess by what they are', () => {
  const file = (kind: string, size: number, tokens?: number) => ({ kind, size, tokens })
  const extra = (attachments: ReturnType<typeof file>[]) =>
    promptTokens([{ content: '', attachments }]) - promptTokens([{ content: '' }])
  expect(extra([file('document', 9_000, 700)])).toBe(700)
  expect(extra([file('document', 9_000)])).toBe(3_000)
  expect(extra([file('image', 5_000_000), file('audio', 5_000_000)])).toBe(4_000)
})

test('what is paid beside the tokens takes its part of the cap', () => {
  const [cap, beside] = [usd('0.01'), usd('0.004')]
  const fit = fitWithOtherCosts(cap, beside, 500, PRICE)
  if (fit.kind !== 'bounded') throw new Error(fit.kind)
  expect(fit.atMost).toBeLessThanOrEqual(cap)
  expect(worstCase(500, fit.maxOutputTokens + 1, PRICE) + beside).toBeGreaterThan(cap)
  const over = fitWithOtherCosts(usd('0.003'), beside, 500, PRICE)
  if (over.kind !== 'too-much') throw new Error(over.kind)
  expect(over.minimum).toBe(beside + worstCase(500, MIN_OUTPUT_TOKENS, PRICE))
  expect(fitWithOtherCosts(usd('0.003'), beside, 500, undefined).kind).toBe('too-much')
})
