import { expect, test } from 'vitest'
import { DELETE, GET, POST } from '@/app/api/session/route'
import { testDatabase } from '@/lib/db/testing'
import { openGuestSession } from '@/lib/endpoints/session/guest'
import { verifySession } from '@/lib/services/identity/credentials'
import { withEnvironment } from '@/lib/services/identity/testing'
import { notePreparation } from '@/lib/services/models/preparation'

const database = await testDatabase()
const ORIGIN = 'http://localhost:3000'
const route = { params: Promise.resolve({}) }

const call = (handler: typeof GET, method: string, headers: Record<string, string>) =>
  handler(new Request(`${ORIGIN}/api/session`, { method, headers }), route)

/** What a browser keeps of a reply. */
const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!

test('a first visit opens a guest with the welcome credit, in a cookie that scripts and strangers cannot use', async () => {
  const response = await call(POST, 'POST', { origin: ORIGIN })
  expect(response.status).toBe(200)
  const body = await response.json()
  expect(body).toEqual({
    session: {
      id: expect.any(String),
      kind: 'guest',
      address: null,
      family: null,
      balanceUsd: 1,
      balanceDiem: 0,
      expiresAt: expect.any(String),
      sandbox: true,
    },
    service: {
      sandbox: true,
      wallets: 'test',
      guests: true,
      rails: [],
      staking: false,
      version: expect.stringMatching(/^\d{8}\.\d{6}$/),
      operator: { name: null, url: null },
      sourceUrl: null,
    },
    preparation: null,
  })
  const days = (Date.parse(body.session.expiresAt) - Date.now()) / 86_400_000
  expect(days).toBeCloseTo(30, 2)
  expect(response.headers.get('set-cookie')).toMatch(
    /^service_session=service_session_\w{49}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
  )
  expect(response.headers.get('cache-control')).toBe('no-store')
})

test('a browser with a session gets that one again, on both methods', async () => {
  const cookie = cookieOf(await call(POST, 'POST', { origin: ORIGIN }))
  const before = await database.query<{ count: number }>('select count(*)::int as count from account')
  const retry = await call(POST, 'POST', { origin: ORIGIN, cookie })
  const shown = await call(GET, 'GET', { 'sec-fetch-site': 'same-origin', host: 'localhost:3000', cookie })
  expect(await retry.json()).toEqual(await shown.json())
  expect(await database.query('select count(*)::int as count from account')).toEqual(before)
})

test('without a cookie there is no session', async () => {
  const response = await call(GET, 'GET', { origin: ORIGIN })
  expect(await response.json()).toMatchObject({ session: null })
  expect(response.headers.get('set-cookie')).toBeNull()
})

test('another origin can neither open, see nor end a session', async () => {
  const cookie = cookieOf(await call(POST, 'POST', { origin: ORIGIN }))
  for (const origin of ['https://evil.example', 'null', 'http://localhost:8080']) {
    const opened = await call(POST, 'POST', { origin, cookie })
    expect(opened.status).toBe(403)
    expect(await opened.json()).toMatchObject({ code: 'UNAUTHORIZED' })
    expect(opened.headers.get('set-cookie')).toBeNull()
    expect(await (await call(GET, 'GET', { origin, cookie })).json()).toMatchObject({ session: null })
    expect((await call(DELETE, 'DELETE', { origin, cookie })).status).toBe(403)
  }
  expect(await (await call(GET, 'GET', { origin: ORIGIN, cookie })).json()).toMatchObject({
    session: { kind: 'guest' },
  })
})

test('an ended session is gone at once, on the server and in the browser', async () => {
  const cookie = cookieOf(await call(POST, 'POST', { origin: ORIGIN }))
  const ended = await call(DELETE, 'DELETE', { origin: ORIGIN, cookie })
  expect(ended.headers.get('set-cookie')).toMatch(/^service_session=; .*Max-Age=0/)
  const shown = await call(GET, 'GET', { origin: ORIGIN, cookie })
  expect(await shown.json()).toMatchObject({ session: null })
  expect(shown.headers.get('set-cookie')).toMatch(/Max-Age=0/)
})

test('the end of a session moves on with its use, at most once a day', async () => {
  const nowMs = Date.now()
  const { cookie, session } = await openGuestSession('10.9.9.9', nowMs - 3 * 86_400_000)
  const shown = await call(GET, 'GET', { origin: ORIGIN, cookie: cookie.split(';')[0]! })
  const { session: extended } = (await shown.json()) as { session: { expiresAt: string } }
  expect(shown.headers.get('x-auth-refreshed')).toBe('true')
  expect(Date.parse(extended.expiresAt)).toBeGreaterThan(session.expiresAt.getTime() + 2 * 86_400_000)
  expect(cookieOf(shown)).toBe(cookie.split(';')[0])
  const retry = await call(GET, 'GET', { origin: ORIGIN, cookie: cookieOf(shown) })
  expect(await retry.json()).toMatchObject({ session: { expiresAt: extended.expiresAt } })
  expect(retry.headers.get('set-cookie')).toBeNull()
})

test('a session past its end opens nothing', async () => {
  const { cookie } = await openGuestSession('10.9.9.8', Date.now() - 31 * 86_400_000)
  expect(await verifySession(cookie.split(/[=;]/)[1]!)).toBeUndefined()
})

test('only the hash of a session is stored', async () => {
  const cookie = cookieOf(await call(POST, 'POST', { origin: ORIGIN }))
  const rows = await database.query<{ row: string }>('select to_json(s)::text as row from session s')
  expect(rows.map(({ row }) => row).join()).not.toContain(cookie.slice(-20))
})

test('an address can make 200 guests an hour', async () => {
  const nowMs = Date.UTC(2030, 0, 1)
  for (let n = 0; n < 200; n++) await openGuestSession('10.8.8.8', nowMs)
  await expect(openGuestSession('10.8.8.8', nowMs)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 3_600,
  })
  await openGuestSession('10.8.8.9', nowMs)
})

test('behind https the cookie is Secure and bound to its host', async () => {
  await withEnvironment({ SANDBOX: 'on', SERVICE_ORIGIN: 'https://lagoon.example' }, async () => {
    const { cookie } = await openGuestSession('10.7.7.7')
    expect(cookie).toMatch(/^__Host-service_session=\w+; Path=\/; .*; Secure$/)
  })
})

test.each<Record<string, string>>([{ SANDBOX: 'off' }, { WELCOME_CREDIT_USD: '0' }])(
  'with %o there are no guests, and the answer says what to use',
  async (environment) => {
    await withEnvironment(environment, async () => {
      const response = await call(POST, 'POST', { origin: ORIGIN })
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ code: 'UNAUTHORIZED', error: expect.stringContaining('wallet') })
      expect(await (await call(GET, 'GET', { origin: ORIGIN })).json()).toMatchObject({ service: { guests: false } })
    })
  },
)

test('the page hears what the service offers', async () => {
  const environment = {
    X402_PAY_TO_EVM: `0x${'12'.repeat(20)}`,
    X402_FACILITATOR_URL: 'https://facilitator.example',
    WALLET_RPC_URL_EVM: 'https://node.example',
    STAKING_TOKEN: `0x${'34'.repeat(20)}`,
    STAKING_CONTRACT: `0x${'56'.repeat(20)}`,
    PAYMENTS_ON_EMBEDDED_DATABASE: 'on',
    OPERATOR_NAME: 'Harbour Ltd',
    OPERATOR_URL: 'https://harbour.example',
    SOURCE_URL: 'https://code.example/lagoon',
  }
  await withEnvironment(environment, async () => {
    const response = await call(GET, 'GET', { origin: ORIGIN })
    expect(await response.json()).toEqual({
      session: null,
      service: {
        sandbox: false,
        wallets: 'any',
        guests: false,
        rails: ['evm'],
        staking: true,
        version: expect.any(String),
        operator: { name: 'Harbour Ltd', url: 'https://harbour.example' },
        sourceUrl: 'https://code.example/lagoon',
      },
      preparation: null,
    })
  })
})

test('the page hears how far the model is that the installation starts with', async () => {
  const preparation = {
    model: 'Qwen3 1.7B',
    step: 'downloading',
    fraction: 0.2,
    bytes: 220e6,
    totalBytes: 1.1e9,
  } as const
  notePreparation(preparation)
  expect(await (await call(GET, 'GET', { origin: ORIGIN })).json()).toMatchObject({ preparation })
  notePreparation(undefined)
  expect(await (await call(GET, 'GET', { origin: ORIGIN })).json()).toMatchObject({ preparation: null })
})
