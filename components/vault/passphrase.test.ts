import { expect, test } from 'vitest'
import { strengthOf } from '@/components/vault/passphrase'

test('a passphrase of several words is strong, one short or of few letters is not', () => {
  expect(
    ['', 'otter', 'aaaaaaaaaaaaaaaa', 'password', 'otter lamp 7', 'otter lamp granite violin'].map(strengthOf),
  ).toEqual(['short', 'short', 'weak', 'weak', 'fair', 'strong'])
})
