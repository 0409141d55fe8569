import { expect, test } from 'vitest'
import { hashSecret, isWellFormed, newSecret } from '@/lib/services/identity/hashed-secrets'

test('a secret is well-formed under its own prefix only', () => {
  const secret = newSecret('SERVICE_ADMIN_KEY_')
  expect(isWellFormed(secret, 'SERVICE_ADMIN_KEY_')).toBe(true)
  expect(isWellFormed(secret, 'SERVICE_INFERENCE_KEY_')).toBe(false)
})

test('any changed character breaks the checksum', () => {
  const secret = newSecret('P_')
  for (let at = 2; at < secret.length; at++) {
    const changed = secret.slice(0, at) + (secret[at] === 'x' ? 'y' : 'x') + secret.slice(at + 1)
    expect(isWellFormed(changed, 'P_')).toBe(false)
  }
})

test('1,000 secrets are all different and all well-formed', () => {
  const secrets = new Set(Array.from({ length: 1_000 }, () => newSecret('P_')))
  expect(secrets.size).toBe(1_000)
  for (const secret of secrets) expect(isWellFormed(secret, 'P_')).toBe(true)
})

test('the hash is SHA-256 of the whole secret', () => {
  expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
