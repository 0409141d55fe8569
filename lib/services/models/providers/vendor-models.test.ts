import { expect, test } from 'vitest'
import { dollarsOf, readPrice, withMargin } from '@/lib/contract/providers'
import { tokenCost } from '@/lib/services/models/providers/vendor-models'

test.each([
  ['0.00000015', 6, 150_000n],
  ['0.0000025', 6, 2_500_000n],
  ['2.5e-6', 6, 2_500_000n],
  [1e-7, 6, 100_000n],
  [0.27, 0, 270_000n],
  [20_000, -4, 2_000_000n],
  ['0', 6, 0n],
  // Finer than money is counted: rounded up, so that nothing is sold below its cost.
  ['0.0000000000001', 6, 1n],
])('reads %s, times ten to the %i, exactly', (value, tenTimes, micros) => {
  expect(readPrice(value, tenTimes)).toBe(micros)
})

test.each([['-1'], [''], ['free'], [undefined], [null], [Number.NaN], [{}], ['1,5']])('%o is no price', (value) => {
  expect(readPrice(value, 6)).toBeUndefined()
})

test('a proposal is the cost and the margin, rounded up to what can be charged', () => {
  expect(withMargin({ input: 0.15, output: 0.6, cacheInput: 0.075 }, 20)).toEqual({
    input: 0.18,
    output: 0.72,
    cacheInput: 0.09,
  })
  expect(withMargin({ input: 0.000001, output: 1 }, 10)).toEqual({ input: 0.000002, output: 1.1 })
  expect(withMargin({ input: 0.1, output: 0.7 }, 0)).toEqual({ input: 0.1, output: 0.7 })
  expect(withMargin({ input: 3, output: 15 }, 12.5)).toEqual({ input: 3.375, output: 16.875 })
})

test('what is free stays free, and what is not told stays unknown', () => {
  expect(withMargin(null, 20)).toBeNull()
  expect(withMargin(undefined, 20)).toBeUndefined()
  expect(tokenCost({ input: '0', output: '0' }, 6)).toBeNull()
  expect(tokenCost({ input: '-1', output: '-1' }, 6)).toBeUndefined()
  expect(tokenCost({ input: '0.000001', output: undefined }, 6)).toBeUndefined()
})

test('the numbers are those of a price list, without a float’s tail', () => {
  expect([dollarsOf(150_000n), dollarsOf(1n), dollarsOf(12_345_678n)]).toEqual([0.15, 0.000001, 12.345678])
})
