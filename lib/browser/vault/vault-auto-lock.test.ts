import { expect, test } from 'vitest'
import { isIdle } from '@/lib/browser/vault/vault'

test('locks after the minutes that were chosen, or never', () => {
  expect(isIdle(5 * 60_000, '5')).toBe(true)
  expect(isIdle(5 * 60_000 - 1, '5')).toBe(false)
  expect(isIdle(Number.MAX_SAFE_INTEGER, 'never')).toBe(false)
})
