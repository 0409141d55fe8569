import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { fingerprintOf, idempotencyKeyOf } from '@/lib/endpoints/rpc/idempotency'
import { body, PRINT } from '@/lib/endpoints/rpc/testing-replies'

const keyIn = (value: string) => idempotencyKeyOf(new Headers({ 'Idempotency-Key': value }))

test.each(['a', '7b0f9a52-4c3e-4f7e-9a2b-1d2c3e4f5a6b', '_-_', 'k'.repeat(255)])('%s is a key', (key) => {
  expect(keyIn(key)).toBe(key)
})

test.each(['', 'k'.repeat(256), 'a b', 'a,b', 'clé', "a'b", 'a/b', 'a.b'])('“%s” is no key', (key) => {
  expect(() => keyIn(key)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
})

test('a header that is sent twice is no key, and a missing one is none', () => {
  const headers = new Headers()
  expect(idempotencyKeyOf(headers)).toBeUndefined()
  headers.append('idempotency-key', 'a')
  headers.append('idempotency-key', 'b')
  expect(() => idempotencyKeyOf(headers)).toThrow('be sent once')
})

test('network and body make the fingerprint, to the byte', () => {
  const same = createHash('sha256').update('base-mainnet\n{"method":"eth_chainId"}').digest()
  expect(PRINT).toEqual(same)
  const others = [
    fingerprintOf('base-sepolia', body('{"method":"eth_chainId"}')),
    fingerprintOf('base-mainnet', body('{"method": "eth_chainId"}')),
    fingerprintOf('base-mainnet', new Uint8Array()),
  ]
  for (const other of others) expect(other).not.toEqual(PRINT)
})
