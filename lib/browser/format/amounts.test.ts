import { afterEach, expect, test } from 'vitest'
import {
  answersFor,
  formatUnits,
  parseAmount,
  parseUnits,
  shortUnits,
  suggestedAmount,
  typedUnits,
} from '@/lib/browser/format/amounts'
import { usd } from '@/lib/contract/money'
import { speak } from '@/lib/i18n/t'

afterEach(() => speak('en'))

test.each([
  ['5', 5_000_000n],
  ['7.5', 7_500_000n],
  ['7.50', 7_500_000n],
  ['7,5', 7_500_000n],
  [' $ 20 ', 20_000_000n],
  ['12.34 USDC', 12_340_000n],
  ['1,000', 1_000_000_000n],
  ['1,000.05', 1_000_050_000n],
  ['10000', 10_000_000_000n],
  ['5.000000', 5_000_000n],
  ['06', 6_000_000n],
])('reads %s exactly', (typed, units) => {
  expect(parseAmount(typed)).toEqual({ units })
})

test.each([
  ['', 'empty'],
  ['   ', 'empty'],
  ['4.99', 'too-low'],
  ['0', 'too-low'],
  ['10000.01', 'too-high'],
  ['5.001', 'too-fine'],
  ['0,125', 'too-fine'],
  ['7,1234', 'too-fine'],
  ['five', 'not-a-number'],
  ['-5', 'not-a-number'],
  ['1e3', 'not-a-number'],
  ['5.0.0', 'not-a-number'],
  ['.', 'not-a-number'],
  ['0x10', 'not-a-number'],
  ['9'.repeat(40), 'not-a-number'],
])('says what is wrong with %s', (typed, fault) => {
  expect(parseAmount(typed)).toEqual({ fault })
})

test('an amount without the bounds of a top-up is read the same way', () => {
  expect(parseUnits('0.05')).toBe(50_000n)
})

test('what is held is never shown larger than it is', () => {
  expect(formatUnits(32_109_999n)).toBe('32.10')
  expect(formatUnits(0n)).toBe('0.00')
  expect(shortUnits(10_000_000n)).toBe('10')
  expect(shortUnits(12_500_000n)).toBe('12.50')
  speak('de')
  expect(formatUnits(1_032_109_999n)).toBe('1.032,10')
  expect(shortUnits(10_000_000n)).toBe('10')
  expect(parseAmount(typedUnits(51_500_000n))).toEqual({ units: 51_500_000n })
})

test.each([
  [undefined, 10_000_000n],
  [usd('0.02'), 10_000_000n],
  [usd('10'), 10_000_000n],
  [usd('10.000001'), 25_000_000n],
  [usd('50.2'), 51_000_000n],
  [usd('99999'), 10_000_000_000n],
])('offers an amount that covers what is missing: %s', (needed, units) => {
  expect(suggestedAmount(needed)).toBe(units)
})

test('counts answers in round figures, and none where no price is known', () => {
  expect(answersFor(usd('10'), usd('0.0021'))).toBe(4_700)
  expect(answersFor(usd('10'), usd('3'))).toBe(3)
  expect(answersFor(usd('0'), usd('3'))).toBe(0)
  expect(answersFor(usd('10'), usd('0'))).toBeUndefined()
  expect(answersFor(usd('10'), undefined)).toBeUndefined()
})
