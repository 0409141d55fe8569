import { beforeEach, describe, expect, test } from 'vitest'
import { walletId } from '@/lib/contract/chains'
import type { ApiError } from '@/lib/contract/errors'
import { randomText } from '@/lib/contract/ids'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { isWallet } from '@/lib/kernel/request-context'
import { admit, admitOptional, admitWallet } from '@/lib/pipeline/admit'
import { bearer, guestCookie, newKey, ORIGIN, refusal, walletCookie } from '@/lib/pipeline/testing'
import { createKey } from '@/lib/services/identity/api-keys'
import { signedHeaders, testWallet } from '@/lib/services/identity/sign-in/testing'
import { testContext } from '@/lib/services/identity/testing'

const database = await testDatabase()

beforeEach(() => resetPerProcess('failure-budget'))

describe('wallets', () => {
  test.each(['evm', 'solana'] as const)('%s: a proof admits the wallet, with its account as a fact', async (family) => {
    const wallet = testWallet(family)
    const context = testContext({ headers: await signedHeaders(wallet) })
    const caller = await admit(context, 'paid')
    expect(caller).toEqual({
      accountId: expect.any(String),
      kind: 'wallet',
      address: walletId(wallet.address),
      isPro: false,
      rateMultiplier: 1,
      via: { type: 'sign-in' },
    })
    const { accountId } = caller
    expect(context.facts).toEqual({ accountId, admitted: { accountId, rateMultiplier: 1 } })
  })

  test('a proof goes before a key and a cookie, and a bad proof is saved by neither', async () => {
    const key = await newKey()
    const others = { ...bearer(key.secret), cookie: await guestCookie(), origin: ORIGIN }
    const headers = { ...(await signedHeaders(testWallet())), ...others }
    expect((await admit(testContext({ headers }), 'paid')).via.type).toBe('sign-in')
    expect((await refusal('paid', headers)).code).toBe('X402_SIGN_IN_NONCE_REUSED')
    for (const name of ['SIGN-IN-WITH-X', 'X-Sign-In-With-X']) {
      expect(await refusal('paid', { ...others, [name]: 'e30=' })).toMatchObject({
        code: 'X402_SIGN_IN_INVALID_PAYLOAD',
        status: 401,
      })
    }
  })

  test('a nonce is used up even where the request then fails', async () => {
    const wallet = testWallet()
    const { accountId } = await admit(testContext({ headers: await signedHeaders(wallet) }), 'paid')
    await database.query(`update account set status = 'disabled' where id = $1`, [accountId])
    const headers = await signedHeaders(wallet)
    expect((await refusal('paid', headers)).code).toBe('API_ACCESS_DISABLED')
    expect((await refusal('paid', headers)).code).toBe('X402_SIGN_IN_NONCE_REUSED')
  })

  test('on routes that take no wallet the header is ignored, and its nonce is not used up', async () => {
    const key = await newKey()
    const headers = await signedHeaders(testWallet())
    await admit(testContext({ headers: { ...headers, ...bearer(key.secret) } }), 'key')
    expect((await refusal('key', headers)).code).toBe('AUTHENTICATION_FAILED')
    expect(await admitOptional(testContext({ headers }))).toBeUndefined()
    await admit(testContext({ headers }), 'paid')
  })

  test('a key of a wallet’s account is a key, and knows the wallet', async () => {
    const wallet = testWallet()
    const { accountId, address } = await admit(testContext({ headers: await signedHeaders(wallet) }), 'paid')
    const key = await createKey({ accountId, type: 'INFERENCE', description: '' })
    const caller = await admit(testContext({ headers: bearer(key.secret) }), 'paid')
    expect(caller).toMatchObject({ accountId, kind: 'wallet', address, via: { type: 'key' } })
    expect(isWallet(caller)).toBe(false)
  })
})

describe('a wallet reads what is its own', () => {
  const reading = async (headers: Record<string, string>, wallet: string, context = testContext({ headers })) =>
    admitWallet(context, wallet).catch((error: unknown) => error as ApiError)

  test('with the same proof again and again while it is young, which then admits to nothing else', async () => {
    const wallet = testWallet()
    const headers = await signedHeaders(wallet)
    for (const spelling of [wallet.address, wallet.address.toLowerCase(), wallet.address]) {
      expect(await reading(headers, spelling)).toMatchObject({ kind: 'wallet', via: { type: 'sign-in' } })
    }
    expect((await refusal('paid', headers)).code).toBe('X402_SIGN_IN_NONCE_REUSED')
  })

  test('with the session of its browser', async () => {
    const { cookie, address } = await walletCookie()
    expect(await reading({ cookie, origin: ORIGIN }, address)).toMatchObject({ address, via: { type: 'session' } })
    expect(await reading({ cookie, origin: 'https://evil.example' }, address)).toMatchObject({
      code: 'X402_INVALID_SIGN_IN',
    })
  })

  test('and nobody else does', async () => {
    const [one, two] = [testWallet('solana'), testWallet('solana')]
    const mismatch = { code: 'X402_WALLET_MISMATCH', status: 403 }
    expect(await reading(await signedHeaders(one), two.address)).toMatchObject(mismatch)
    expect(await reading(await signedHeaders(one), one.address.toLowerCase())).toMatchObject(mismatch)
  })

  test('nothing, a bad proof, a key and a guest are all told the same code', async () => {
    const wallet = testWallet()
    const key = await newKey()
    const bad = { code: 'X402_INVALID_SIGN_IN', status: 401 }
    const headers: Record<string, string>[] = [
      {},
      { 'SIGN-IN-WITH-X': 'nonsense' },
      await signedHeaders(wallet, { domain: 'evil.example' }),
      bearer(key.secret),
      { cookie: await guestCookie(), origin: ORIGIN },
      { cookie: `service_session=service_session_${randomText(49)}`, origin: ORIGIN },
    ]
    for (const sent of headers) expect(await reading(sent, wallet.address)).toMatchObject(bad)
  })

  test('a disabled account reads nothing', async () => {
    const { cookie, address, accountId } = await walletCookie()
    await database.query(`update account set status = 'disabled' where id = $1`, [accountId])
    expect(await reading({ cookie, origin: ORIGIN }, address)).toMatchObject({ code: 'API_ACCESS_DISABLED' })
  })
})
