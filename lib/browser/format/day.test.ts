import { expect, test } from 'vitest'
import { dayOf } from '@/lib/browser/format/day'

test('a day is the one of the clock on the wall', () => {
  expect(dayOf(new Date(2026, 10, 20, 23, 59).getTime())).toBe('2026-11-20')
  expect(dayOf(new Date(2026, 10, 21, 0, 1).getTime())).toBe('2026-11-21')
})
