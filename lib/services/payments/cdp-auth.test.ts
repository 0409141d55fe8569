import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type JWTPayload, jwtVerify } from 'jose'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { parseCdpKey } from '@/lib/kernel/cdp-key'
import { chainOf } from '@/lib/services/payments/chain'
import { cdpToken, httpFacilitator } from '@/lib/services/payments/facilitator'
import { testFacilitator, testWallet } from '@/lib/services/payments/testing'
import { paymentWorld } from '@/lib/services/payments/testing-payments'
import { createTopUps } from '@/lib/services/payments/top-up'
import { testChains } from '@/sandbox/testing'

const BASE = '/platform/v2/x402'
const KEY_ID = 'organizations/1/apiKeys/2'

/** A key as the portal gives it, and what the platform checks its signatures with. */
function newKey(kind: 'Ed25519' | 'ECDSA'): { secret: string; publicKey: KeyObject } {
  if (kind === 'ECDSA') {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return { secret: privateKey.export({ type: 'sec1', format: 'pem' }).toString(), publicKey }
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' })
  const halves = [d, x].map((half) => Buffer.from(half, 'base64url'))
  return { secret: Buffer.concat(halves).toString('base64'), publicKey }
}

/** Checks tokens as the platform does. Each is good for one request, and `skewSeconds` is how far its clock is ahead. */
function gatekeeper() {
  const gate = { publicKey: newKey('Ed25519').publicKey, skewSeconds: 0, refused: 0, nonces: new Set<unknown>() }
  async function isAuthorized({ headers, method, url }: IncomingMessage): Promise<boolean> {
    const token = headers.authorization?.replace(/^Bearer /, '') ?? ''
    const verified = await jwtVerify<JWTPayload & { uris: string[] }>(token, gate.publicKey, {
      issuer: 'cdp',
      audience: 'cdp_service',
      subject: KEY_ID,
      typ: 'JWT',
      requiredClaims: ['exp', 'nbf', 'uris'],
      maxTokenAge: '2 minutes',
      currentDate: new Date(Date.now() + gate.skewSeconds * 1_000),
    }).catch(() => undefined)
    const { kid, nonce } = verified?.protectedHeader ?? { kid: undefined, nonce: undefined }
    const isGood =
      kid === KEY_ID &&
      typeof nonce === 'string' &&
      !gate.nonces.has(nonce) &&
      verified?.payload.uris.join() === `${method} ${headers.host}${url}`
    gate.nonces.add(nonce)
    if (!isGood) gate.refused++
    return isGood
  }
  return { gate, isAuthorized }
}

const database = await testDatabase()
const chains = await testChains()
const { gate, isAuthorized } = gatekeeper()
const server = await testFacilitator(chains, isAuthorized)
const world = await paymentWorld(database, chains)

/** Top-ups through the scripted platform; the facilitator's own clock, or another key, may be wrong. */
function topUpsWith(secret: string) {
  const cdpKey = parseCdpKey(KEY_ID, secret)
  const facilitator = httpFacilitator({ url: `${server.url}${BASE}/`, cdpKey })
  const topUps = createTopUps({
    store: world.store,
    chainOf,
    facilitator: async () => facilitator,
    waitsMs: [50, 100, 200],
  })
  return { facilitator, topUps }
}

beforeEach(() => {
  Object.assign(gate, { skewSeconds: 0, refused: 0 })
  vi.useRealTimers()
})

describe.each(['Ed25519', 'ECDSA'] as const)('with an %s key', (kind) => {
  const { secret, publicKey } = newKey(kind)

  test.each(['evm', 'solana'] as const)(
    'a payment on %s is verified and settled, each request with a token of its own',
    async (family) => {
      gate.publicKey = publicKey
      const { facilitator, topUps } = topUpsWith(secret)
      if (family === 'solana') expect(await facilitator.feePayer()).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
      const payment = await world.sign(await testWallet(chains, family))
      expect(await world.send(payment, topUps)).toEqual({
        status: 200,
        code: 'OK',
        state: 'credited',
        credit: 5_000_000_000n,
      })
      expect(gate.refused).toBe(0)
    },
  )
})

describe('a token that the platform does not take', () => {
  const { secret, publicKey } = newKey('Ed25519')

  test.each([
    ['is signed by another key', { publicKey: newKey('Ed25519').publicKey }],
    ['is older than two minutes', { skewSeconds: 180 }],
    ['is not valid yet', { skewSeconds: -180 }],
  ])('as it %s leaves the payment open, and nothing is settled', async (_why, fault) => {
    Object.assign(gate, { publicKey }, fault)
    const { facilitator, topUps } = topUpsWith(secret)
    const { settle } = server.asked
    const payment = await world.sign(await testWallet(chains, 'evm'))
    expect(await world.send(payment, topUps)).toEqual({
      status: 503,
      code: 'SETTLEMENT_PENDING',
      state: 'unknown',
      credit: 0n,
    })
    expect(gate.refused).toBeGreaterThan(0)
    expect(await facilitator.feePayer()).toBeUndefined()
    expect(server.asked.settle).toBe(settle)
    Object.assign(gate, { publicKey, skewSeconds: 0 })
    expect(await world.send(payment, topUps)).toMatchObject({ status: 200, credit: 5_000_000_000n })
  })

  test('is one made for another method, path or host', async () => {
    gate.publicKey = publicKey
    const key = parseCdpKey(KEY_ID, secret)
    const { host } = new URL(server.url)
    const ask = async (method: 'GET' | 'POST', address: string) => {
      const headers = { Authorization: `Bearer ${await cdpToken(key, method, address)}` }
      return (await fetch(`${server.url}${BASE}/supported`, { headers })).status
    }
    expect(await ask('GET', `http://${host}${BASE}/supported`)).toBe(200)
    expect(await ask('POST', `http://${host}${BASE}/supported`)).toBe(401)
    expect(await ask('GET', `http://${host}${BASE}/settle`)).toBe(401)
    expect(await ask('GET', `https://api.cdp.coinbase.com${BASE}/supported`)).toBe(401)
  })
})

test('a token says what the platform documents', async () => {
  const { secret, publicKey } = newKey('Ed25519')
  const now = Math.floor(Date.now() / 1_000)
  vi.useFakeTimers({ now: now * 1_000, toFake: ['Date'] })
  const token = await cdpToken(
    parseCdpKey(KEY_ID, secret),
    'POST',
    'https://api.cdp.coinbase.com/platform/v2/x402/verify',
  )
  const { payload, protectedHeader } = await jwtVerify(token, publicKey)
  expect(protectedHeader).toEqual({
    alg: 'EdDSA',
    typ: 'JWT',
    kid: KEY_ID,
    nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  expect(payload).toEqual({
    sub: KEY_ID,
    iss: 'cdp',
    aud: ['cdp_service'],
    iat: now,
    nbf: now,
    exp: now + 120,
    uris: ['POST api.cdp.coinbase.com/platform/v2/x402/verify'],
  })
})
