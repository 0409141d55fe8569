import { beforeEach, describe, expect, test, vi } from 'vitest'
import { randomText, uuid } from '@/lib/contract/ids'
import { usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { openGuestSession } from '@/lib/endpoints/session/guest'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { type Accepts, isWallet } from '@/lib/kernel/request-context'
import { admit, admitOptional, recordOutcome } from '@/lib/pipeline/admit'
import { bearer, guestCookie, newKey, ORIGIN, refusal, walletCookie } from '@/lib/pipeline/testing'
import { revokeKey } from '@/lib/services/identity/api-keys'
import { newSecret } from '@/lib/services/identity/credentials'
import { signedHeaders, testWallet } from '@/lib/services/identity/sign-in/testing'
import { testContext } from '@/lib/services/identity/testing'
import { credit } from '@/lib/services/ledger/ledger'
import { saveBreaches } from '@/lib/services/limits/note-breach'

const database = await testDatabase()
const ALL: Accepts[] = ['paid', 'key', 'admin']

beforeEach(() => resetPerProcess('failure-budget'))

describe('nothing sent', () => {
  test('a paid route answers 402 with the terms, in body and header, and no cache may keep them', async () => {
    const error = await refusal('paid', {})
    expect(error).toMatchObject({ code: 'PAYMENT_REQUIRED', status: 402, message: 'Payment required' })
    const terms = {
      x402Version: 2,
      error: 'Payment required',
      resource: {
        url: `${ORIGIN}/api/v1/chat/completions`,
        description: 'Lagoon inference API',
        mimeType: 'application/json',
      },
      accepts: [],
    }
    const docs = `${ORIGIN}/docs`
    expect(error.body).toEqual({
      ...terms,
      authOptions: {
        apiKey: { header: 'Authorization: Bearer <API_KEY>', getKey: `${ORIGIN}/keys`, docs },
        x402Wallet: {
          header: 'SIGN-IN-WITH-X',
          legacyHeader: 'X-Sign-In-With-X',
          topUp: 'POST /api/v1/x402/top-up',
          docs,
        },
      },
    })
    expect(error.headers?.['Cache-Control']).toBe('no-store')
    expect(JSON.parse(atob(error.headers!['PAYMENT-REQUIRED']!))).toEqual(terms)
  })

  test.each(['key', 'admin'] as const)('a route of kind %s answers 401', async (accepts) => {
    expect(await refusal(accepts, {})).toMatchObject({
      code: 'AUTHENTICATION_FAILED',
      message: 'Authentication failed',
    })
  })
})

describe('keys', () => {
  test('a key of an active account is admitted, with its ids as facts', async () => {
    const key = await newKey()
    const context = testContext({ headers: bearer(key.secret) })
    expect(await admit(context, 'paid')).toEqual({
      accountId: key.accountId,
      kind: 'account',
      isPro: false,
      rateMultiplier: 1,
      via: { type: 'key', keyId: key.id, keyType: 'INFERENCE', modelPrivacy: 'ALL', expiresAt: undefined },
    })
    const { accountId } = key
    expect(context.facts).toEqual({ accountId, keyId: key.id, admitted: { accountId, rateMultiplier: 1 } })
  })

  test('the scheme’s name may be written in any case', async () => {
    const key = await newKey()
    await admit(testContext({ headers: { authorization: `bearer  ${key.secret}` } }), 'paid')
  })

  test('a route that holds no money tells balances and the default bucket', async () => {
    const key = await newKey()
    for (const [currency, amount] of [
      ['USD', '5'],
      ['BUNDLED_CREDITS', '0.25'],
      ['DIEM', '2'],
    ] as const) {
      await credit({ accountId: key.accountId, currency, amount: usd(amount), kind: 'grant', idempotencyKey: uuid() })
    }
    const context = testContext({ headers: bearer(key.secret) })
    await admit(context, 'key')
    expect(context.facts).toMatchObject({
      balanceUsd: usd('5.25'),
      balanceDiem: usd('2'),
      rateLimit: { limitRequests: 500 },
    })
  })

  test.each([
    ['a key for inference on an admin route', {}, 'admin', 'ADMIN_KEY_REQUIRED'],
    ['an expired key', { expiresAt: new Date(Date.now() - 1) }, 'paid', 'AUTHENTICATION_FAILED'],
    ['a disabled account', { status: 'disabled' }, 'paid', 'API_ACCESS_DISABLED'],
    ['an inactive account', { status: 'inactive' }, 'key', 'AUTHENTICATION_FAILED_INACTIVE_KEY'],
    [
      'the account’s state before the key’s date',
      { status: 'disabled', expiresAt: new Date(0) },
      'paid',
      'API_ACCESS_DISABLED',
    ],
    ['the key’s date before its type', { expiresAt: new Date(0) }, 'admin', 'AUTHENTICATION_FAILED'],
  ] as const)('%s is refused', async (_, options, accepts, code) => {
    const key = await newKey(options)
    expect((await refusal(accepts, bearer(key.secret))).code).toBe(code)
  })

  test('an admin key may do everything', async () => {
    const key = await newKey({ type: 'ADMIN' })
    for (const accepts of ALL) await admit(testContext({ headers: bearer(key.secret) }), accepts)
  })

  test('a revoked key is refused at once, like one that never was', async () => {
    const key = await newKey()
    await admit(testContext({ headers: bearer(key.secret) }), 'paid')
    await revokeKey(key.id)
    for (const accepts of ALL) {
      expect(await refusal(accepts, bearer(key.secret))).toEqual(
        await refusal(accepts, bearer(`SERVICE_${randomText(40)}`)),
      )
    }
  })

  test('what another process revoked manages nothing any more', async () => {
    const key = await newKey({ type: 'ADMIN' })
    await admit(testContext({ headers: bearer(key.secret) }), 'paid')
    await database.query('update api_key set revoked_at = now() where id = $1', [key.id])
    expect((await refusal('admin', bearer(key.secret))).code).toBe('AUTHENTICATION_FAILED')
  })

  test('a key goes before a cookie, and a bad key is not saved by a good cookie', async () => {
    const key = await newKey()
    const cookie = { cookie: await guestCookie(), origin: ORIGIN }
    const caller = await admit(testContext({ headers: { ...bearer(key.secret), ...cookie } }), 'paid')
    expect(caller.accountId).toBe(key.accountId)
    expect((await refusal('paid', { ...bearer('nonsense'), ...cookie })).code).toBe('AUTHENTICATION_FAILED')
  })
})

describe('payments where no rail is configured', () => {
  test.each(['PAYMENT-SIGNATURE', 'X-402-Payment', 'X-PAYMENT'])(
    '%s without credentials is never swallowed',
    async (name) => {
      for (const accepts of ALL) {
        expect((await refusal(accepts, { [name]: 'e30=' })).code).toBe('PAYMENT_HEADER_NOT_ACCEPTED')
      }
    },
  )
})

describe('browser sessions', () => {
  test('a session is admitted from our own pages', async () => {
    const caller = await admit(
      testContext({ headers: { cookie: `theme=dark; ${await guestCookie()}`, origin: ORIGIN } }),
      'paid',
    )
    expect(caller).toMatchObject({ kind: 'guest', isPro: false, via: { type: 'session' } })
  })

  test.each([
    ['from another origin', { origin: 'https://evil.example' }],
    ['from a frame without origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['without a browser', {}],
  ])('a cookie %s is nothing', async (_, headers) => {
    const cookie = await guestCookie()
    expect((await refusal('paid', { cookie, ...headers } as Record<string, string>)).code).toBe('PAYMENT_REQUIRED')
  })

  test('a wallet’s session is its wallet', async () => {
    const { cookie, address, accountId } = await walletCookie()
    const caller = await admit(testContext({ headers: { cookie, origin: ORIGIN } }), 'paid')
    expect(caller).toMatchObject({ kind: 'wallet', accountId, address, via: { type: 'session' } })
    expect(isWallet(caller)).toBe(true)
  })

  test('a session manages nothing', async () => {
    const headers = { cookie: await guestCookie(), origin: ORIGIN }
    for (const accepts of ['key', 'admin'] as const)
      expect((await refusal(accepts, headers)).code).toBe('AUTHENTICATION_FAILED')
  })

  test('a session that ended is bad credentials, not none', async () => {
    const headers = { cookie: `service_session=service_session_${randomText(49)}`, origin: ORIGIN }
    expect((await refusal('paid', headers)).code).toBe('AUTHENTICATION_FAILED')
  })

  test('a disabled account’s session is refused', async () => {
    const { session, cookie } = await openGuestSession(uuid())
    await database.query(`update account set status = 'disabled' where id = $1`, [session.accountId])
    expect((await refusal('paid', { cookie: cookie.split(';')[0]!, origin: ORIGIN })).code).toBe('API_ACCESS_DISABLED')
  })
})

describe('public routes', () => {
  test('a valid key is known, everything else is nobody', async () => {
    const key = await newKey()
    const context = testContext({ headers: bearer(key.secret) })
    expect(await admitOptional(context)).toMatchObject({ accountId: key.accountId })
    expect(context.facts.rateLimit).toMatchObject({ limitRequests: 500 })
    for (const options of [{ status: 'disabled' }, { status: 'inactive' }, { expiresAt: new Date(0) }] as const) {
      const bad = await newKey(options)
      expect(await admitOptional(testContext({ headers: bearer(bad.secret) }))).toBeUndefined()
    }
    for (const headers of [
      {},
      bearer('x'),
      { authorization: 'Basic eDp5' },
      { cookie: await guestCookie(), origin: ORIGIN },
    ]) {
      expect(await admitOptional(testContext({ headers: headers as Record<string, string> }))).toBeUndefined()
    }
  })
})

describe('failed requests', () => {
  test('a key that keeps failing is blocked, and no other key is', async () => {
    const [failing, other] = [await newKey(), await newKey()]
    const clientAddress = '192.0.2.10'
    const context = () => testContext({ clientAddress, headers: bearer(failing.secret) })
    for (let n = 0; n < 21; n++) {
      const failed = context()
      await admit(failed, 'paid')
      recordOutcome(failed, 400)
    }
    const blocked = context()
    expect(await refusal('paid', {}, blocked)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 30 })
    expect(blocked.facts.rateLimitType).toBe('api_key')
    await admit(testContext({ clientAddress, headers: bearer(other.secret) }), 'paid')
    await saveBreaches()
    expect(
      await database.query('select type, key_id as "keyId" from rate_limit_breach where account_id = $1', [
        failing.accountId,
      ]),
    ).toEqual([{ type: 'FAILED_REQUESTS', keyId: failing.id }])
  })

  test('guessing keys blocks the address, but not a good key behind it', async () => {
    const clientAddress = '192.0.2.11'
    const codes: string[] = []
    for (let n = 0; n < 25; n++) {
      const context = testContext({ clientAddress, headers: bearer(`SERVICE_INFERENCE_KEY_${randomText(49)}`) })
      const error = await refusal('paid', {}, context)
      recordOutcome(context, error.status)
      codes.push(error.code)
    }
    expect(codes.slice(0, 21)).toEqual(Array(21).fill('AUTHENTICATION_FAILED'))
    expect(codes.slice(21)).toEqual(Array(4).fill('RATE_LIMIT_EXCEEDED'))
    const key = await newKey()
    await admit(testContext({ clientAddress, headers: bearer(key.secret) }), 'paid')
  })

  test('a wallet that keeps failing is blocked at its address, and others there are not', async () => {
    const clientAddress = '192.0.2.13'
    const failing = testWallet()
    for (let n = 0; n < 21; n++) {
      const context = testContext({ clientAddress, headers: await signedHeaders(failing) })
      await admit(context, 'paid')
      recordOutcome(context, 400)
    }
    const headers = await signedHeaders(failing)
    const blocked = testContext({ clientAddress, headers })
    expect(await refusal('paid', {}, blocked)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 30 })
    expect(blocked.facts.rateLimitType).toBe('user')
    await admit(testContext({ headers }), 'paid')
    await admit(testContext({ clientAddress, headers: await signedHeaders(testWallet()) }), 'paid')
  })

  test('what wallets do wrong counts against their address in the end, however many wallets', async () => {
    const clientAddress = '192.0.2.14'
    for (let n = 0; n < 101; n++) {
      const context = testContext({ clientAddress, headers: await signedHeaders(testWallet()) })
      await admit(context, 'paid')
      recordOutcome(context, 400)
    }
    const headers = await signedHeaders(testWallet())
    expect(await refusal('paid', {}, testContext({ clientAddress, headers }))).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterSeconds: 30,
    })
    await admit(testContext({ headers }), 'paid')
  })

  test('guesses on a public route are not looked up for ever', async () => {
    const clientAddress = '192.0.2.15'
    const query = vi.spyOn(database, 'query')
    const looks = () => query.mock.calls.filter(([text]) => text.includes('from api_key')).length
    const before = looks()
    for (let n = 0; n < 60; n++) {
      const secret = newSecret('SERVICE_INFERENCE_KEY_')
      expect(await admitOptional(testContext({ clientAddress, headers: bearer(secret) }))).toBeUndefined()
    }
    expect(looks() - before).toBeLessThanOrEqual(21)
    query.mockRestore()
  })

  test('asking for the terms of payment is no failure', async () => {
    const clientAddress = '192.0.2.12'
    for (let n = 0; n < 60; n++) {
      const context = testContext({ clientAddress })
      const error = await refusal('paid', {}, context)
      expect(error.status).toBe(402)
      recordOutcome(context, error.status)
    }
  })
})
