import { expect, test } from 'vitest'
import { answerCosts, balanceState } from '@/lib/browser/balance'
import { usd } from '@/lib/contract/money'

const held = (credit: string, allowance = '0', kind: 'wallet' | 'guest' = 'wallet') => ({
  kind,
  credit: usd(credit),
  allowance: usd(allowance),
})

test.each([
  ['4.18', undefined, 'fine'],
  ['1', undefined, 'fine'],
  ['0.99', undefined, 'low'],
  ['5', usd('0.26'), 'low'],
  ['5', usd('0.25'), 'fine'],
  ['0.0999', undefined, 'empty'],
  ['0', usd('0.01'), 'empty'],
] as const)('a wallet with %s is told', (credit, average, state) => {
  expect(balanceState(held(credit), average)).toBe(state)
})

test('the credit of the day counts, and a guest’s dollar is not low from the start', () => {
  expect(balanceState(held('0', '3'), undefined)).toBe('fine')
  expect(balanceState(held('0.9996', '0', 'guest'), undefined)).toBe('fine')
  expect(balanceState(held('0.2', '0', 'guest'), undefined)).toBe('low')
})

test('the average is that of the answers that are remembered; what cannot be read is left out', () => {
  expect(answerCosts('')).toBeUndefined()
  expect(answerCosts('1000 3000')).toEqual({ last: 3000n, average: 2000n })
  expect(answerCosts('x -5 7')).toEqual({ last: 7n, average: 7n })
})
