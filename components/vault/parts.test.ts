import { expect, test } from 'vitest'
import { strengthOf } from '@/components/vault/parts'
import { isIdle } from '@/lib/browser/vault/auto-lock'

test('a passphrase of several words is strong, one short or of few letters is not', () => {
  expect(
    ['', 'otter', 'aaaaaaaaaaaaaaaa', 'password', 'otter lamp 7', 'otter lamp granite violin'].map(strengthOf),
  ).toEqual(['short', 'short', 'weak', 'weak', 'fair', 'strong'])
})

test('locks after the minutes that were chosen, or never', () => {
  expect(isIdle(5 * 60_000, '5')).toBe(true)
  expect(isIdle(5 * 60_000 - 1, '5')).toBe(false)
  expect(isIdle(Number.MAX_SAFE_INTEGER, 'never')).toBe(false)
})
