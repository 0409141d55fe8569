import { afterEach, expect, test } from 'vitest'
import {
  formatEntry,
  formatExactMoney,
  formatMoney,
  formatPrice,
  formatUnitless,
  moneyOf,
} from '@/lib/browser/format/cost'
import { nano, usd } from '@/lib/contract/money'
import { speak } from '@/lib/i18n/t'

afterEach(() => speak('en'))

test('money of the wire is exact to the nano-dollar', () => {
  expect(moneyOf(0.1)).toBe(100_000_000n)
  expect(moneyOf(0.000000001)).toBe(1n)
  expect(moneyOf(1.999999999)).toBe(1_999_999_999n)
})

test.each([
  ['0', '$0.00'],
  ['0.000000001', '<$0.01'],
  ['0.009999', '<$0.01'],
  ['0.01', '$0.01'],
  ['0.0149', '$0.01'],
  ['0.015', '$0.02'],
  ['0.999986', '$1.00'],
  ['10.999986', '$11.00'],
  ['1234.5', '$1,234.50'],
  ['-0.5', '-$0.50'],
])('%s dollars in a chip read %s: cents, to the nearest', (amount, text) => {
  expect(formatMoney(usd(amount))).toBe(text)
})

test.each([
  ['0', '$0.00'],
  ['0.000000001', '$0.000000001'],
  ['0.0000025', '$0.0000025'],
  ['0.5', '$0.50'],
  ['4.189999999', '$4.189999999'],
])('%s dollars on a receipt read %s: to the last digit', (amount, text) => {
  expect(formatExactMoney(usd(amount))).toBe(text)
})

test('money is written as the language of the page writes it', () => {
  speak('de')
  expect(formatMoney(usd('1234.5')).replace(/\s/g, ' ')).toBe('1.234,50 $')
  expect(formatExactMoney(usd('0.0000025')).replace(/\s/g, ' ')).toBe('0,0000025 $')
  speak('ja')
  expect(formatMoney(usd('1234.5'))).toBe('$1,234.50')
  speak('ar')
  expect(formatMoney(usd('1234.5'))).toMatch(/^\u200f1,234\.50\s\$$/)
})

test('credit in another unit has no currency', () => {
  expect(formatUnitless(usd('1.499'))).toBe('1.50')
  expect(formatUnitless(usd('1.499'), 'exact')).toBe('1.499')
})

test('a price of a million tokens has cents, and more where there are more', () => {
  expect([0.4, 12, 0.05, 0.0123].map(formatPrice)).toEqual(['$0.40', '$12.00', '$0.05', '$0.0123'])
})

test('lines of a ledger stand point under point', () => {
  expect(formatEntry(usd('10.997417'))).toBe('10.997417')
  expect(formatEntry(usd('10'), true)).toBe('+10.000000')
  expect(formatEntry(nano(-234_000n), true)).toBe('−0.000234')
  speak('de')
  expect(formatEntry(usd('1210.997417'))).toBe('1.210,997417')
})
