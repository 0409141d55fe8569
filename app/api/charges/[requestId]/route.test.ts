import { expect, test } from 'vitest'
import { GET } from '@/app/api/charges/[requestId]/route'
import { POST as openSession } from '@/app/api/session/route'
import { newId } from '@/lib/contract/ids'
import { nano, usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { testWallet } from '@/lib/pipeline/testing'
import { findAccount } from '@/lib/services/identity/accounts'
import { capture, hold, release } from '@/lib/services/ledger/ledger'
import { chargeOfNano } from '@/lib/services/ledger/testing'

await testDatabase()
const ORIGIN = 'http://localhost:3000'

async function browser() {
  const wallet = testWallet()
  const headers = { origin: ORIGIN, ...(await wallet.signIn()) }
  const request = new Request(`${ORIGIN}/api/session`, { method: 'POST', headers })
  const opened = await openSession(request, { params: Promise.resolve({}) })
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  return { cookie, accountId: (await findAccount(wallet.address))!.id }
}

const ask = (requestId: string, headers: Record<string, string>) =>
  GET(new Request(`${ORIGIN}/api/charges/${requestId}`, { headers: { origin: ORIGIN, ...headers } }), {
    params: Promise.resolve({ requestId }),
  })

test('a request is open while it runs, and then has its exact price', async () => {
  const { cookie, accountId } = await browser()
  const requestId = newId('chatcmpl')
  const held = await hold({ accountId, requestId, amount: usd('0.01') })
  expect(await (await ask(requestId, { cookie })).json()).toEqual({ state: 'open' })
  await capture(held, chargeOfNano(nano(1_234_567n)))
  const response = await ask(requestId, { cookie })
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toMatchObject({ state: 'settled', charged: 0.001234567 })
})

test('what took more than was held is told in all', async () => {
  const { cookie, accountId } = await browser()
  const requestId = newId('chatcmpl')
  await capture(await hold({ accountId, requestId, amount: nano(100n) }), chargeOfNano(nano(250n)))
  expect(await (await ask(requestId, { cookie })).json()).toMatchObject({ charged: 0.00000025 })
})

test('a request that failed, and one that never arrived, cost nothing', async () => {
  const { cookie, accountId } = await browser()
  const requestId = newId('chatcmpl')
  await release(await hold({ accountId, requestId, amount: usd('0.01') }))
  expect(await (await ask(requestId, { cookie })).json()).toEqual({ state: 'settled', charged: 0 })
  expect(await (await ask(newId('chatcmpl'), { cookie })).json()).toEqual({ state: 'settled', charged: 0 })
})

test('nobody learns of the requests of another account', async () => {
  const [mine, other] = [await browser(), await browser()]
  const requestId = newId('chatcmpl')
  await capture(await hold({ accountId: mine.accountId, requestId, amount: usd('0.01') }), chargeOfNano(usd('0.01')))
  expect(await (await ask(requestId, { cookie: other.cookie })).json()).toEqual({ state: 'settled', charged: 0 })
})

test('it is for the page: a session, our own origin, an id', async () => {
  const { cookie } = await browser()
  expect((await ask('chatcmpl-1', {})).status).toBe(401)
  expect((await ask('chatcmpl-1', { cookie, origin: 'https://evil.example' })).status).toBe(401)
  expect((await ask('a b', { cookie })).status).toBe(400)
})
