import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatUsd, nano, perMillion, perUnit, usd, usdNumber } from '@/lib/contract/money'

test.each([
  ['0.60', 600_000_000n],
  ['5', 5_000_000_000n],
  ['-0.000000001', -1n],
  ['0.1000000000000', 100_000_000n],
])('reads %s as %d nano-dollars', (text, expected) => {
  expect(usd(text)).toBe(expected)
})

test.each(['', '1e3', 'NaN', '0x10', ' 1', '1.', '.5', '0.0000000001', '1,5'])('refuses %j as an amount', (text) => {
  expect(() => usd(text)).toThrow(RangeError)
})

test('a price of a million is a whole number of pico-dollars a unit', () => {
  expect(perMillion(0.4)).toBe(400_000n)
  expect(perMillion(0.05)).toBe(50_000n)
  expect(perUnit(0.0000007)).toBe(700_000n)
  expect(() => perMillion(-1)).toThrow(RangeError)
  expect(() => perMillion(Number.NaN)).toThrow(RangeError)
})

test('amounts survive the way to text and back, whatever they are', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (value) => {
      expect(usd(formatUsd(nano(value), 9))).toBe(value)
    }),
  )
})

test('text is cut at the decimals asked for, never rounded up', () => {
  expect(formatUsd(nano(1_999_999_999n), 2)).toBe('1.99')
  expect(formatUsd(usd('4.23'))).toBe('4.230000')
  expect(usdNumber(usd('0.01031'))).toBe(0.01031)
})
