import { expect, test } from 'vitest'
import { dayOf, periodOf } from '@/lib/browser/format/day'

test('a day is the one of the clock on the wall', () => {
  expect(dayOf(new Date(2026, 10, 20, 23, 59).getTime())).toBe('2026-11-20')
  expect(dayOf(new Date(2026, 10, 21, 0, 1).getTime())).toBe('2026-11-21')
})

const at = (text: string) => new Date(text).getTime()
const NOW = at('2026-11-20T10:00:00')

test.each([
  ['2026-11-20T00:00:00', 'Today'],
  ['2026-11-19T23:59:59', 'Yesterday'],
  ['2026-11-19T00:00:00', 'Yesterday'],
  ['2026-11-18T23:59:59', 'Last 7 days'],
  ['2026-11-01T12:00:00', 'Last 30 days'],
  ['2026-08-01T12:00:00', 'August 2026'],
])('%s stands under %s', (time, period) => {
  expect(periodOf(at(time), NOW)).toBe(period)
})

test('a clock that was set back does not lose a chat', () => {
  expect(periodOf(NOW + 3_600_000, NOW)).toBe('Today')
})
