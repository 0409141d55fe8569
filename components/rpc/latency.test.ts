import { afterEach, expect, test } from 'vitest'
import { formatLatency, formatMilliseconds } from '@/components/rpc/latency'
import { loadCatalog } from '@/lib/i18n/catalogs'
import { speak } from '@/lib/i18n/current-language'

afterEach(() => speak('en'))

test('a latency has the unit that suits it', () => {
  expect([0, 84.4, 999.4, 999.5, 1_234].map(formatLatency)).toEqual(['0 ms', '84 ms', '999 ms', '1.0 s', '1.2 s'])
  expect(formatMilliseconds(12_345.6)).toBe('12,346 ms')
})

test('a latency has the units of the page’s language', async () => {
  await loadCatalog('ar')
  speak('ar')
  expect([84, 1_234].map(formatLatency)).toEqual(['84 ملي ث', '1.2 ث'])
})
