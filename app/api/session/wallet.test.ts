import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { toFunctionSelector } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { GET as challengeOf } from '@/app/api/session/challenge/route'
import { DELETE as end, POST as open, GET as show } from '@/app/api/session/route'
import { DELETE as revoke } from '@/app/api/sessions/[id]/route'
import { GET as list } from '@/app/api/sessions/route'
import { uuid } from '@/lib/contract/ids'
import { signInText } from '@/lib/contract/sign-in-format'
import { testDatabase } from '@/lib/db/testing'
import { perProcess, resetPerProcess } from '@/lib/kernel/per-process'
import { stopClock } from '@/lib/kernel/testing/time'
import { verifySession } from '@/lib/services/identity/credentials'
import { closeSession, sessionSecret } from '@/lib/services/identity/session'
import {
  encodeHeader,
  signedHeaders,
  signedPayload,
  type TestWallet,
  testWallet,
} from '@/lib/services/identity/sign-in/testing'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { openWalletSession } from '@/lib/services/identity/sign-in/wallet-sessions'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'
import { parseLimits } from '@/lib/services/limits/limits-file'

const database = await testDatabase()
const ORIGIN = 'http://localhost:3000'
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

beforeEach(() => resetPerProcess('failure-budget'))

const call = (handler: typeof show, method: string, headers: Record<string, string> = {}, params = {}) =>
  handler(new Request(`${ORIGIN}/api/session`, { method, headers: { origin: ORIGIN, ...headers } }), {
    params: Promise.resolve(params),
  })
const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!
const signIn = async (wallet: TestWallet, headers: Record<string, string> = {}) =>
  call(open, 'POST', { ...(await signedHeaders(wallet)), ...headers })
const verify = (cookie: string) => verifySession(sessionSecret(new Headers({ cookie }))!)
const listed = async (cookie: string) => (await (await call(list, 'GET', { cookie })).json()).sessions

describe('a wallet opens a session', () => {
  test.each(['evm', 'solana'] as const)('%s: with one signature, for a day, in a cookie', async (family) => {
    const wallet = testWallet(family)
    const response = await signIn(wallet)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      session: {
        id: expect.any(String),
        kind: 'wallet',
        address: wallet.address,
        family,
        balanceUsd: 1,
        balanceDiem: 0,
        expiresAt: expect.any(String),
        sandbox: true,
      },
      service: expect.any(Object),
      preparation: null,
    })
    expect(response.headers.get('set-cookie')).toMatch(/; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const shown = await call(show, 'GET', { cookie: cookieOf(response) })
    expect(await shown.json()).toMatchObject({ session: { kind: 'wallet', address: expect.any(String) } })
    expect(shown.headers.get('set-cookie')).toBeNull()
  })

  test('with staked tokens, the page shows the credit of today from the first look on', async () => {
    /** A node on which everybody has staked two tokens of 18 decimals, for a day at least. */
    const answers: Record<string, bigint> = {
      [toFunctionSelector('balanceOf(address)')]: 2n * 10n ** 18n,
      [toFunctionSelector('decimals()')]: 18n,
      [toFunctionSelector('COOL_DOWN()')]: 86_400n,
    }
    const node = createServer(async (request, response) => {
      const { id, params } = (await json(request)) as { id: number; params: [{ data: string }] }
      const value = answers[params[0].data.slice(0, 10)]!
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: `0x${value.toString(16).padStart(64, '0')}` }))
    }).listen(0, '127.0.0.1')
    await once(node, 'listening')
    const environment = {
      SANDBOX: 'off',
      STAKING_TOKEN: `0x${'12'.repeat(20)}`,
      STAKING_CONTRACT: `0x${'34'.repeat(20)}`,
      WALLET_RPC_URL_EVM: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    }
    try {
      const before = cookieOf(await signIn(testWallet()))
      await withEnvironment(environment, async () => {
        expect(await (await signIn(testWallet())).json()).toMatchObject({ session: { balanceDiem: 2 } })
        const shown = await call(show, 'GET', { cookie: before })
        expect(await shown.json()).toMatchObject({ session: { balanceDiem: 2 } })
      })
    } finally {
      node.closeAllConnections()
      node.close()
    }
  })

  test('from the challenge that the service gives, by its clock', async () => {
    const wallet = testWallet()
    const { info } = await (await call(challengeOf, 'GET')).json()
    expect(info).toMatchObject({ domain: 'localhost:3000', uri: ORIGIN, version: '1' })
    expect(Math.abs(Date.parse(info.issuedAt) - Date.now())).toBeLessThan(5_000)
    const text = signInText({ ...info, family: 'evm', address: wallet.address, chainId: '8453' })
    const header = encodeHeader(await signedPayload(wallet, text))
    expect((await call(open, 'POST', { 'SIGN-IN-WITH-X': header })).status).toBe(200)
  })

  test('a guest’s session, or another wallet’s, in that browser ends', async () => {
    const guest = cookieOf(await call(open, 'POST'))
    const first = cookieOf(await signIn(testWallet(), { cookie: guest }))
    expect(await verify(guest)).toBeUndefined()
    const second = cookieOf(await signIn(testWallet(), { cookie: first }))
    expect(await verify(first)).toBeUndefined()
    expect(await verify(second)).toBeDefined()
  })

  test('a proof that fails leaves the session that was there', async () => {
    const cookie = cookieOf(await call(open, 'POST'))
    const wallet = testWallet()
    const headers = await signedHeaders(wallet)
    await call(open, 'POST', headers)
    const response = await call(open, 'POST', { ...headers, cookie })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ code: 'X402_SIGN_IN_NONCE_REUSED', error: expect.any(String) })
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await verify(cookie)).toBeDefined()
  })

  test('another origin opens none, and the proof is not used up', async () => {
    const headers = await signedHeaders(testWallet())
    expect((await call(open, 'POST', { ...headers, origin: 'https://evil.example' })).status).toBe(403)
    expect((await call(open, 'POST', headers)).status).toBe(200)
  })

  test('use does not make it longer than its day', async () => {
    const cookie = cookieOf(await signIn(testWallet()))
    const before = await verify(cookie)
    await database.query(`update session set expires_at = now() + interval '1 hour' where id = $1`, [before!.id])
    resetPerProcess('session-lookup')
    const shown = await call(show, 'GET', { cookie })
    expect(Date.parse((await shown.json()).session.expiresAt)).toBeLessThan(Date.now() + 3_700_000)
    expect(shown.headers.get('set-cookie')).toBeNull()
    await database.query(`update session set expires_at = now() - interval '1 second' where id = $1`, [before!.id])
    resetPerProcess('session-lookup')
    expect(await (await call(show, 'GET', { cookie })).json()).toMatchObject({ session: null })
  })

  test('a disabled account opens none', async () => {
    const wallet = testWallet()
    await signIn(wallet)
    await database.query(`update account set status = 'disabled' where ref = $1`, [wallet.address.toLowerCase()])
    const response = await signIn(wallet)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'API_ACCESS_DISABLED' })
  })
})

describe('the sessions of a wallet', () => {
  test('are listed newest first, with their browsers, and none of anybody else', async () => {
    const wallet = testWallet()
    await signIn(testWallet())
    await signIn(wallet)
    const cookie = cookieOf(await signIn(wallet, { 'user-agent': CHROME }))
    expect(await listed(cookie)).toEqual([
      {
        id: (await verify(cookie))!.id,
        kind: 'wallet',
        browser: 'Chrome on Linux',
        createdAt: expect.stringMatching(/Z$/),
        expiresAt: expect.stringMatching(/Z$/),
        isCurrent: true,
      },
      expect.objectContaining({ browser: 'Unknown browser', isCurrent: false }),
    ])
  })

  test('can be ended one by one, at once', async () => {
    const wallet = testWallet()
    const lost = cookieOf(await signIn(wallet))
    const { id } = (await verify(lost))!
    const cookie = cookieOf(await signIn(wallet))
    expect((await call(revoke, 'DELETE', { cookie }, { id })).status).toBe(200)
    expect(await verify(lost)).toBeUndefined()
    expect(await listed(cookie)).toHaveLength(1)
    expect((await call(revoke, 'DELETE', { cookie }, { id })).status).toBe(404)
  })

  test('of others are not there', async () => {
    const other = (await verify(cookieOf(await signIn(testWallet()))))!
    const cookie = cookieOf(await signIn(testWallet()))
    for (const id of [other.id, uuid(), 'nonsense', "' or 1=1"]) {
      const response = await call(revoke, 'DELETE', { cookie }, { id })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' })
    }
    const rows = await database.query('select 1 from session where id = $1 and revoked_at is null', [other.id])
    expect(rows).toHaveLength(1)
  })

  test('are for its own pages only', async () => {
    const cookie = cookieOf(await signIn(testWallet()))
    const { id } = (await verify(cookie))!
    for (const headers of [{}, { cookie, origin: 'https://evil.example' }, { cookie, origin: 'null' }]) {
      expect((await call(list, 'GET', headers as Record<string, string>)).status).toBe(401)
      expect((await call(revoke, 'DELETE', headers as Record<string, string>, { id })).status).toBe(401)
    }
    await call(end, 'DELETE', { cookie })
    expect((await call(list, 'GET', { cookie })).status).toBe(401)
  })

  test('are fifty at most: the oldest ends', async () => {
    const wallet = await verifySignIn(testContext({ headers: await signedHeaders(testWallet()) }), { mayRepeat: false })
    const cookies: string[] = []
    for (let n = 0; n < 52; n++) cookies.push((await openWalletSession(wallet, '')).cookie.split(';')[0]!)
    expect(await verify(cookies[0]!)).toBeUndefined()
    expect(await verify(cookies[1]!)).toBeUndefined()
    expect(await verify(cookies[2]!)).toBeDefined()
    expect(await listed(cookies[51]!)).toHaveLength(50)
  })

  test('that are opened and ended all day leave no more than fifty rows behind', async () => {
    const wallet = await verifySignIn(testContext({ headers: await signedHeaders(testWallet()) }), { mayRepeat: false })
    const { session: other } = await openWalletSession(wallet, '')
    for (let n = 0; n < 60; n++) {
      const { cookie } = await openWalletSession(wallet, '')
      await closeSession(cookie.split(/[=;]/)[1]!)
    }
    await openWalletSession(wallet, '')
    const rows = await database.query<{ id: string; open: boolean }>(
      'select id, revoked_at is null as open from session where account_id = $1',
      [wallet.accountId],
    )
    expect(rows).toHaveLength(52)
    expect(rows.find(({ id }) => id === other.id)).toMatchObject({ open: true })
  })

  test('cannot be looked at without end', async () => {
    stopClock()
    const cookie = cookieOf(await signIn(testWallet()))
    resetPerProcess('limits')
    perProcess('limits', () => parseLimits('routes: { default: 3 }'))
    try {
      const statuses: number[] = []
      for (let n = 0; n < 10; n++) statuses.push((await call(n % 2 ? list : show, 'GET', { cookie })).status)
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(3)
    } finally {
      resetPerProcess('limits')
    }
  })

  test('that ended long ago are dropped', async () => {
    const wallet = await verifySignIn(testContext({ headers: await signedHeaders(testWallet()) }), { mayRepeat: false })
    for (const column of ['expires_at', 'revoked_at']) {
      const { session } = await openWalletSession(wallet, '')
      await database.query(`update session set ${column} = now() - interval '8 days' where id = $1`, [session.id])
    }
    await openWalletSession(wallet, '')
    expect(await database.query('select 1 from session where account_id = $1', [wallet.accountId])).toHaveLength(1)
  })
})
