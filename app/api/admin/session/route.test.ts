import { expect, test } from 'vitest'
import { DELETE, GET, POST } from '@/app/api/admin/session/route'
import { CLIENT_ADDRESS_HEADER } from '@/lib/contract/headers'
import { testDatabase } from '@/lib/db/testing'
import { operatorLink, requireOperator, revokeOperators } from '@/lib/services/identity/operator'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'

await testDatabase()
const ORIGIN = 'http://localhost:3000'
const route = { params: Promise.resolve({}) }
const DAY_MS = 86_400_000

const call = (handler: typeof GET, method: string, headers: Record<string, string>, token?: string) =>
  handler(
    new Request(`${ORIGIN}/api/admin/session`, {
      method,
      headers: { ...headers, ...(token !== undefined && { 'content-type': 'application/json' }) },
      body: token === undefined ? null : JSON.stringify({ token }),
    }),
    route,
  )

const tokenOf = async (nowMs?: number) => new URL((await operatorLink(nowMs)).link).hash.slice('#token='.length)
const signIn = async () => {
  const response = await call(POST, 'POST', { origin: ORIGIN }, await tokenOf())
  return response.headers.get('set-cookie')!.split(';')[0]!
}
const isOperator = async (headers: Record<string, string>) =>
  ((await (await call(GET, 'GET', headers)).json()) as { isOperator: boolean }).isOperator

test('the link of the server opens a session, in a cookie that scripts and strangers cannot use', async () => {
  const { link, expiresAt } = await operatorLink()
  expect(link).toMatch(/^http:\/\/localhost:3000\/admin#token=[0-9a-z]{8}\.[\w-]{43}$/)
  expect((expiresAt.getTime() - Date.now()) / DAY_MS).toBeCloseTo(1, 3)
  const response = await call(POST, 'POST', { origin: ORIGIN }, await tokenOf())
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ isOperator: true })
  expect(response.headers.get('cache-control')).toBe('no-store')
  const cookie = response.headers.get('set-cookie')!
  expect(cookie).toMatch(
    /^service_operator=[0-9a-z]{8}\.[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
  )
  expect(await isOperator({ origin: ORIGIN, cookie: cookie.split(';')[0]! })).toBe(true)
})

test('a link works more than once until it expires, and then no more', async () => {
  const token = await tokenOf(Date.now() - DAY_MS + 60_000)
  for (let n = 0; n < 2; n++) expect((await call(POST, 'POST', { origin: ORIGIN }, token)).status).toBe(200)
  const late = await call(POST, 'POST', { origin: ORIGIN }, await tokenOf(Date.now() - DAY_MS))
  expect(late.status).toBe(401)
  expect(await late.json()).toMatchObject({
    code: 'AUTHENTICATION_FAILED',
    error: expect.stringContaining('npm run admin -- operator link'),
  })
  expect(late.headers.get('set-cookie')).toBeNull()
})

test.each([
  ['a changed signature', async () => `${(await tokenOf()).slice(0, -2)}AA`],
  ['a later time under an old signature', async () => `zzzzzzzz${(await tokenOf()).slice(8)}`],
  ['a time to come', () => tokenOf(Date.now() + 3_600_000)],
  ['the cookie of a session', async () => (await signIn()).split('=')[1]!],
  ['words', async () => 'let me in'],
])('%s opens nothing', async (_, token) => {
  expect((await call(POST, 'POST', { origin: ORIGIN }, await token())).status).toBe(401)
})

test('the token of a link is no session', async () => {
  expect(await isOperator({ origin: ORIGIN, cookie: `service_operator=${await tokenOf()}` })).toBe(false)
})

test('another origin can neither open, use nor end a session', async () => {
  const cookie = await signIn()
  for (const origin of ['https://evil.example', 'null', 'http://localhost:8080']) {
    expect((await call(POST, 'POST', { origin }, await tokenOf())).status).toBe(403)
    expect(await isOperator({ origin, cookie })).toBe(false)
    expect((await call(DELETE, 'DELETE', { origin, cookie })).status).toBe(403)
    await expect(requireOperator(testContext({ headers: { origin, cookie } }))).rejects.toMatchObject({
      code: 'AUTHENTICATION_FAILED',
    })
  }
  await requireOperator(testContext({ headers: { origin: ORIGIN, cookie } }))
})

test('signing out clears the cookie, and a session past its end is cleared when it is shown', async () => {
  const ended = await call(DELETE, 'DELETE', { origin: ORIGIN, cookie: await signIn() })
  expect(ended.headers.get('set-cookie')).toMatch(/^service_operator=; .*Max-Age=0/)
  const shown = await call(GET, 'GET', { origin: ORIGIN, cookie: 'service_operator=lfls1234.x' })
  expect(shown.headers.get('set-cookie')).toMatch(/Max-Age=0/)
  expect((await call(GET, 'GET', { origin: ORIGIN })).headers.get('set-cookie')).toBeNull()
})

test('who guesses tokens is refused for a while, and then even with the right one', async () => {
  const globals = globalThis as { __serviceFront?: boolean }
  globals.__serviceFront = true
  try {
    const headers = { origin: ORIGIN, [CLIENT_ADDRESS_HEADER]: '10.66.66.66' }
    const statuses: number[] = []
    for (let n = 0; n < 60 && statuses.at(-1) !== 429; n++) {
      statuses.push((await call(POST, 'POST', headers, `guess${n}`)).status)
    }
    expect(statuses[0]).toBe(401)
    expect(statuses.at(-1)).toBe(429)
    expect((await call(POST, 'POST', headers, await tokenOf())).status).toBe(429)
    const elsewhere = { origin: ORIGIN, [CLIENT_ADDRESS_HEADER]: '10.66.66.67' }
    expect((await call(POST, 'POST', elsewhere, await tokenOf())).status).toBe(200)
  } finally {
    globals.__serviceFront = undefined
  }
})

test('revoking ends links and sessions', async () => {
  const [cookie, token] = [await signIn(), await tokenOf()]
  await revokeOperators(Date.now() + 1)
  expect(await isOperator({ origin: ORIGIN, cookie })).toBe(false)
  expect((await call(POST, 'POST', { origin: ORIGIN }, token)).status).toBe(401)
  expect((await call(POST, 'POST', { origin: ORIGIN }, await tokenOf(Date.now() + 2))).status).toBe(200)
})

test('behind https the cookie is Secure and bound to its host', async () => {
  await withEnvironment({ SANDBOX: 'on', SERVICE_ORIGIN: 'https://lagoon.example' }, async () => {
    const token = await tokenOf(Date.now() + 10)
    const response = await call(POST, 'POST', { origin: 'https://lagoon.example' }, token)
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-service_operator=[\w.-]+; Path=\/; .*; Secure$/)
  })
})
