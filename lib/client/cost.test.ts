import { expect, test } from 'vitest'
import {
  formatAmount,
  formatBalance,
  formatCap,
  formatCost,
  formatEntry,
  formatPrice,
  moneyOf,
} from '@/lib/client/cost'
import { nano, usd } from '@/lib/core/money'

test('money of the wire is exact to the nano-dollar', () => {
  expect(moneyOf(0.1)).toBe(100_000_000n)
  expect(moneyOf(0.000000001)).toBe(1n)
  expect(moneyOf(1.999999999)).toBe(1_999_999_999n)
})

test.each([
  [0n, '$0'],
  [1n, '$0.000000001'],
  [12_340n, '$0.000012'],
  [370_400n, '$0.00037'],
  [2_100_000n, '$0.0021'],
  [9_990_000n, '$0.01'],
  [12_345_678n, '$0.0123'],
  [1_239_999_999n, '$1.24'],
])('a cost of %d nano-dollars reads %s', (amount, text) => {
  expect(formatCost(nano(amount))).toBe(text)
})

test('a balance is never shown larger than it is', () => {
  expect(formatBalance(nano(999_999_999n))).toBe('$0.9999')
  expect(formatBalance(nano(4_189_999_999n))).toBe('$4.18')
  expect(formatBalance(nano(0n))).toBe('$0.00')
})

test('a price keeps its telling digits', () => {
  expect([0.4, 12, 0.05, 0.0123].map(formatPrice)).toEqual(['$0.40', '$12.00', '$0.05', '$0.012'])
})

test('an amount in a sentence has cents, unless those say nothing', () => {
  expect([usd('0.1'), usd('12'), usd('0.0342'), usd('0.0004'), usd('0')].map(formatAmount)).toEqual([
    '$0.10',
    '$12.00',
    '$0.03',
    '$0.0004',
    '$0.00',
  ])
})

test('lines of a ledger stand point under point', () => {
  expect(formatEntry(usd('10.997417'))).toBe('10.997417')
  expect(formatEntry(usd('10'), true)).toBe('+10.000000')
  expect(formatEntry(usd('-0.000234'), true)).toBe('−0.000234')
})

test('a cap reads as it was typed', () => {
  expect(['5', '0.05', '2.5', '0.005', '0.0001'].map((cap) => formatCap(usd(cap)))).toEqual([
    '$5',
    '$0.05',
    '$2.50',
    '$0.005',
    '$0.0001',
  ])
})
