import { expect, test } from 'vitest'
import { cookieFor } from '@/lib/i18n/language-cookie'

test('a choice is a cookie of a year, and no choice is none', () => {
  expect(cookieFor('de', true)).toBe('language=de; Path=/; Max-Age=31536000; SameSite=Lax; Secure')
  expect(cookieFor(undefined, false)).toBe('language=; Path=/; Max-Age=0; SameSite=Lax')
})
