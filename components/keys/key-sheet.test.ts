import { expect, test } from 'vitest'
import { faultsOf, keyInput, typedOf } from '@/components/keys/key-sheet'

const NOW = Date.UTC(2026, 6, 18, 10)
const good = { ...typedOf(), name: ' batch job ' }

test('a new key has a name, no limit and no end unless they are typed', () => {
  expect(Object.keys(faultsOf(typedOf(), NOW))).toEqual(['name'])
  expect(faultsOf(good, NOW)).toEqual({})
  expect(keyInput(good, NOW)).toEqual({
    description: 'batch job',
    consumptionLimit: { usd: null, diem: null },
    limitPeriod: 'MONTH',
    modelPrivacy: 'ALL',
    expiresAt: '',
  })
})

test.each([
  ['5', 5],
  [' 0.50 ', 0.5],
  ['0,25', 0.25],
  ['0', 0],
])('%j is a limit of %d', (usd, expected) => {
  expect(faultsOf({ ...good, usd }, NOW)).toEqual({})
  expect(keyInput({ ...good, usd }, NOW).consumptionLimit.usd).toBe(expected)
})

test.each(['-1', '1e3', 'five', '1.0000000001', '99999999999', '1,000.5'])('%j is no amount', (usd) => {
  expect(Object.keys(faultsOf({ ...good, usd }, NOW))).toEqual(['usd'])
})

test('an end is so many days from now, a day of one’s own, or stays as it is', () => {
  expect(keyInput({ ...good, end: '30' }, NOW).expiresAt).toBe('2026-08-17T10:00:00.000Z')
  expect(keyInput({ ...good, end: 'date', date: '2026-12-24' }, NOW).expiresAt).toBe('2026-12-24')
  expect(keyInput({ ...good, end: 'kept' }, NOW)).not.toHaveProperty('expiresAt')
  for (const date of ['', '2026-07-18', '2020-01-01']) {
    expect(Object.keys(faultsOf({ ...good, end: 'date', date }, NOW))).toEqual(['date'])
  }
})
