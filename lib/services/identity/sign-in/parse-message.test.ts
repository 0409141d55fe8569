import { describe, expect, test } from 'vitest'
import { challenge } from '@/lib/services/identity/sign-in/challenge'
import { withEnvironment } from '@/lib/services/identity/testing'

describe('a challenge', () => {
  test('has a nonce of its own and five minutes', () => {
    const [one, two] = [challenge('http://localhost:3000/a'), challenge('http://localhost:3000/a')]
    expect(one.info.nonce).toMatch(/^[0-9a-f]{32}$/)
    expect(one.info.nonce).not.toBe(two.info.nonce)
    expect(Date.parse(one.info.expirationTime) - Date.parse(one.info.issuedAt)).toBe(300_000)
    expect(one.info).toMatchObject({ domain: 'localhost:3000', uri: 'http://localhost:3000/a', version: '1' })
    expect(one.info.statement).toContain('Lagoon')
  })

  test('invites contract wallets only where a node can be asked', async () => {
    const typesOf = () => challenge('http://localhost:3000').supportedChains.map(({ type }) => type)
    expect(typesOf()).toEqual(['eip191', 'ed25519'])
    await withEnvironment({ SANDBOX: 'off', WALLET_RPC_URL_EVM: 'https://node.example' }, () => {
      expect(typesOf()).toEqual(['eip191', 'eip1271', 'ed25519'])
    })
  })
})
