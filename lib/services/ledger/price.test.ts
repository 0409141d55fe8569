import fc from 'fast-check'
import { expect, test } from 'vitest'
import { perMillion, perUnit, pico } from '@/lib/contract/money'
import { chargeOf, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'

const lines = fc.array(
  fc.record({
    sku: fc.constantFrom('input', 'output', 'cache'),
    units: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.nat(), fc.maxSafeNat()),
    price: fc.oneof(fc.bigInt({ min: 0n, max: 3000n }), fc.bigInt({ min: 0n, max: 10n ** 15n })).map(pico),
  }) satisfies fc.Arbitrary<PricedUnits>,
  { maxLength: 12 },
)

test.each([
  ['nothing costs nothing', [], 0n],
  ['a free unit costs nothing', [{ units: 1_000_000, price: pico(0n) }], 0n],
  ['three tokens at 0.60 a million', [{ units: 3, price: perMillion(0.6) }], 1_800n],
  ['a fraction of a nano-dollar is rounded up', [{ units: 1, price: pico(1n) }], 1n],
  ['a whole nano-dollar stays', [{ units: 1000, price: pico(1n) }], 1n],
  [
    'fractions are added before they are rounded',
    [
      { units: 1, price: pico(400n) },
      { units: 1, price: pico(600n) },
    ],
    1n,
  ],
  ['a search at 0.01', [{ units: 1, price: perUnit(0.01) }], 10_000_000n],
])('%s', (_, priced, expected) => {
  expect(priceOf(priced)).toBe(expected)
})

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %d units', (units) => {
  expect(() => priceOf([{ units, price: pico(1n) }])).toThrow(RangeError)
  expect(() => chargeOf([{ sku: 'x', units, price: pico(1n) }])).toThrow(RangeError)
})

test('a charge is the price, its lines add up to it, and none is a nano-dollar off its exact part', () => {
  fc.assert(
    fc.property(lines, (priced) => {
      const charge = chargeOf(priced)
      expect(charge.amount).toBe(priceOf(priced))
      expect(charge.lines.reduce((sum, line) => sum + line.amount, 0n)).toBe(charge.amount)
      for (const { units, price, amount } of charge.lines) {
        const off = amount * 1000n - BigInt(units) * price
        expect(off > -1000n && off < 1000n && amount >= 0n).toBe(true)
      }
    }),
  )
})

test('the price is the least whole number of nano-dollars that covers the exact sum', () => {
  fc.assert(
    fc.property(lines, (priced) => {
      const exact = priced.reduce((sum, { units, price }) => sum + BigInt(units) * price, 0n)
      const price = priceOf(priced)
      expect(price * 1000n >= exact && (price === 0n || (price - 1n) * 1000n < exact)).toBe(true)
    }),
  )
})
