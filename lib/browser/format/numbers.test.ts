import { afterEach, expect, test } from 'vitest'
import {
  compactTokens,
  formatLatency,
  formatLength,
  formatMilliseconds,
  formatSeconds,
  formatSize,
} from '@/lib/browser/format/numbers'
import { loadCatalog, speak } from '@/lib/i18n/t'

afterEach(() => speak('en'))

test('seconds have one decimal below ten', () => {
  expect([300, 1_234, 9_949, 9_950, 65_000].map(formatSeconds)).toEqual(['0.3 s', '1.2 s', '9.9 s', '10 s', '65 s'])
})

test('lengths read as players show them', () => {
  expect([400, 65_400, 3_661_000].map(formatLength)).toEqual(['0:00', '1:05', '1:01:01'])
  expect([4_000, 65_000, 3_605_000].map(formatLength)).toEqual(['0:04', '1:05', '1:00:05'])
})

test('a latency has the unit that suits it', () => {
  expect([0, 84.4, 999.4, 999.5, 1_234].map(formatLatency)).toEqual(['0 ms', '84 ms', '999 ms', '1.0 s', '1.2 s'])
  expect(formatMilliseconds(12_345.6)).toBe('12,346 ms')
})

test('a latency has the units of the page’s language', async () => {
  await loadCatalog('ar')
  speak('ar')
  expect([84, 1_234].map(formatLatency)).toEqual(['84 ملي ث', '1.2 ث'])
})

test('sizes read as people write them', () => {
  expect([999, 1_500, 999_400, 1_500_000, 25_000_000].map(formatSize)).toEqual([
    '999 bytes',
    '2 kB',
    '999 kB',
    '1.5 MB',
    '25 MB',
  ])
  expect([512, 1_400_000].map(formatSize)).toEqual(['512 bytes', '1.4 MB'])
})

test.each([
  [512, '512'],
  [131_072, '128k'],
  [200_000, '200k'],
  [1_000_000, '1M'],
  [1_500_000, '1.5M'],
])('%i tokens are called %s', (tokens, words) => {
  expect(compactTokens(tokens)).toBe(words)
})
