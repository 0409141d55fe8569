import { afterEach, expect, test } from 'vitest'
import { formatLatency, formatLength, formatMilliseconds, formatSeconds } from '@/lib/browser/format/duration'
import { loadCatalog } from '@/lib/i18n/catalogs'
import { speak } from '@/lib/i18n/current-language'

afterEach(() => speak('en'))

test('a latency has the unit that suits it, and one decimal below ten seconds', () => {
  expect([0, 84.4, 999.4, 999.5, 1_234, 9_949, 9_950, 65_000].map(formatLatency)).toEqual([
    '0 ms',
    '84 ms',
    '999 ms',
    '1.0 s',
    '1.2 s',
    '9.9 s',
    '10 s',
    '65 s',
  ])
  expect(formatMilliseconds(12_345.6)).toBe('12,346 ms')
  expect(formatSeconds(300)).toBe('0.3 s')
})

test('durations have the units of the page’s language', async () => {
  await loadCatalog('ar')
  speak('ar')
  expect([84, 1_234].map(formatLatency)).toEqual(['84 ملي ث', '1.2 ث'])
})

test('lengths read as players show them', () => {
  expect([400, 65_400, 3_661_000].map(formatLength)).toEqual(['0:00', '1:05', '1:01:01'])
  expect([4_000, 65_000, 3_605_000].map(formatLength)).toEqual(['0:04', '1:05', '1:00:05'])
})
