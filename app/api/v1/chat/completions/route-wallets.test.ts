import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { POST as openSession } from '@/app/api/session/route'
import { chatStage, PRICE_OF_HELLO } from '@/app/api/v1/chat/completions/testing/stage'
import { beginStream, delta, sayHello, stop } from '@/app/api/v1/chat/completions/testing/upstream'
import { uuid } from '@/lib/contract/ids'
import { type Usd, usd } from '@/lib/contract/money'
import { type TestWallet, testWallet } from '@/lib/pipeline/testing'
import { findAccount } from '@/lib/services/identity/accounts'
import { createKey } from '@/lib/services/identity/api-keys'
import { balancesOf, credit, settled } from '@/lib/services/ledger/ledger'

const ORIGIN = 'http://localhost:3000'
const stage = await chatStage({ settings: { WELCOME_CREDIT_USD: '0' } })
const { upstream, call } = stage

/** What the wallet sends instead of a key. */
const by = async (wallet: TestWallet) => ({ authorization: undefined, ...(await wallet.signIn()) })
const ask = async (wallet: TestWallet, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  call(body, { headers: { ...(await by(wallet)), ...headers } })

/** A wallet that has been here before. */
async function walletWith(amount: Usd) {
  const wallet = testWallet()
  // The first sign-in makes the account; a free model costs it nothing.
  expect((await ask(wallet, { model: 'free' })).status).toBe(200)
  const accountId = (await findAccount(wallet.address))!.id
  if (amount > 0n) await give(accountId, amount)
  return { ...wallet, accountId }
}
/** The session that the wallet opens in a browser. */
async function cookieOf(wallet: TestWallet): Promise<string> {
  const headers = { origin: ORIGIN, ...(await wallet.signIn()) }
  const request = new Request(`${ORIGIN}/api/session`, { method: 'POST', headers })
  const opened = await openSession(request, { params: Promise.resolve({}) })
  return opened.headers.get('set-cookie')!.split(';')[0]!
}

const give = (accountId: string, amount: Usd) =>
  credit({ accountId, currency: 'USD', amount, kind: 'grant', idempotencyKey: uuid() })

test('a wallet pays for its answer and is told what it has left, to the last nano-dollar in the ledger', async () => {
  const wallet = await walletWith(usd('5'))
  const response = await ask(wallet)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ cost: { usd: PRICE_OF_HELLO, diem: 0 } })
  expect(response.headers.get('x-service-balance-usd')).toBe('5.000000')
  expect(response.headers.get('x-balance-remaining')).toBe('4.999977')
  expect((await balancesOf(wallet.accountId)).USD).toBe(usd('4.999977'))
})

test('a request that fails tells the wallet what it has', async () => {
  const poor = await walletWith(usd('0.05'))
  const broke = await ask(poor)
  expect(broke.status).toBe(402)
  expect(broke.headers.get('x-service-balance-usd')).toBe('0.050000')
  const wrong = await ask(poor, { messages: [] })
  expect(wrong.status).toBe(400)
  expect(wrong.headers.get('x-service-balance-usd')).toBe('0.050000')
  expect(wrong.headers.get('x-ratelimit-remaining-requests')).toMatch(/^\d+$/)
})

test('on a stream the header says what was there when it left', async () => {
  const wallet = await walletWith(usd('5'))
  const response = await ask(wallet, { stream: true })
  expect(response.headers.get('x-balance-remaining')).toBe('5.000000')
  expect(await response.text()).toContain(`"usd":${PRICE_OF_HELLO}`)
  await settled()
  expect((await balancesOf(wallet.accountId)).USD).toBe(usd('4.999977'))
})

test('a free answer and a failed one: what is left is what was there, and errors do not say it', async () => {
  const wallet = await walletWith(usd('5'))
  expect((await ask(wallet, { model: 'free' })).headers.get('x-balance-remaining')).toBe('5.000000')
  const failed = await ask(wallet, { model: 'broken' })
  expect(failed.status).toBeGreaterThanOrEqual(500)
  expect(failed.headers.get('x-balance-remaining')).toBeNull()
  expect((await ask(wallet, { model: 'no-such-model' })).headers.get('x-balance-remaining')).toBeNull()
})

test('keys are not told: the header is for wallets, also for the key of a wallet’s account', async () => {
  const wallet = await walletWith(usd('5'))
  const { secret } = await createKey({ accountId: wallet.accountId, type: 'INFERENCE', description: 'agent' })
  for (const authorization of [`Bearer ${stage.secret}`, `Bearer ${secret}`]) {
    const response = await call({}, { headers: { authorization } })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-balance-remaining')).toBeNull()
  }
})

test('below the admission minimum a wallet hears how to top up, and nothing is asked of the engine', async () => {
  const wallet = await walletWith(usd('0.09'))
  const seen = upstream.seen.length
  const response = await ask(wallet)
  expect(response.status).toBe(402)
  expect(await response.json()).toMatchObject({
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    currentBalanceUsd: 0.09,
    minimumBalanceUsd: 0.1,
  })
  expect(response.headers.get('x-balance-remaining')).toBeNull()
  expect(upstream.seen).toHaveLength(seen)
})

test('above it, but below the price of the work, the minimum is what the work takes to begin', async () => {
  const wallet = await walletWith(usd('0.1'))
  const response = await ask(wallet, { model: 'dear', n: 8 })
  expect(response.status).toBe(402)
  const { code, currentBalanceUsd, minimumBalanceUsd } = await response.json()
  expect([code, currentBalanceUsd]).toEqual(['PAYMENT_REQUIRED', 0.1])
  expect(minimumBalanceUsd).toBeGreaterThan(0.1)
  await give(wallet.accountId, usd((minimumBalanceUsd - 0.1).toFixed(9)))
  expect((await ask(wallet, { model: 'dear', n: 8 })).status).toBe(200)
})

test('a key of a wallet’s account hears of an account without funds', async () => {
  const wallet = await walletWith(usd('0.05'))
  const { secret } = await createKey({ accountId: wallet.accountId, type: 'INFERENCE', description: 'agent' })
  const response = await call({}, { headers: { authorization: `Bearer ${secret}` } })
  expect([response.status, (await response.json()).code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
})

test('a charge beyond what is there takes what is left and no more', async () => {
  const wallet = await walletWith(usd('0.1'))
  upstream.answer = (body, response) => {
    const write = beginStream(response)
    write(delta('much'))
    write(stop)
    // All the output that the credit pays for, and more of a prompt than we believed.
    write({ choices: [], usage: { prompt_tokens: 100, completion_tokens: body.max_tokens } })
    response.end('data: [DONE]\n\n')
  }
  const response = await ask(wallet, { model: 'long', max_tokens: 10_000 })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ cost: { usd: 0.1 } })
  expect(response.headers.get('x-balance-remaining')).toBe('0.000000')
  expect((await balancesOf(wallet.accountId)).USD).toBe(0n)
  expect((await ask(wallet)).status).toBe(402)
})

test('five requests of a wallet may be under way, however it signs in; a key counts for itself', async () => {
  const wallet = await walletWith(usd('5'))
  const { secret } = await createKey({ accountId: wallet.accountId, type: 'INFERENCE', description: 'agent' })
  const waiting: [Record<string, unknown>, ServerResponse][] = []
  upstream.answer = (body, response) => void waiting.push([body, response])
  const cookie = await cookieOf(wallet)
  const askInPage = () => call({}, { headers: { authorization: undefined, origin: ORIGIN, cookie } })
  const running = [ask(wallet), askInPage(), ask(wallet), askInPage(), ask(wallet)]
  await expect.poll(() => waiting.length).toBe(5)
  for (const refused of await Promise.all([ask(wallet), askInPage()])) {
    expect([refused.status, (await refused.json()).code]).toEqual([429, 'X402_CONCURRENCY_LIMIT'])
  }
  const other = call({}, { headers: { authorization: `Bearer ${secret}` } })
  await expect.poll(() => waiting.length).toBe(6)
  for (const [body, response] of waiting) sayHello(body, response)
  expect((await Promise.all([...running, other])).map(({ status }) => status)).toEqual(Array(6).fill(200))
  upstream.answer = sayHello
  expect((await ask(wallet)).status).toBe(200)
})

test('a Pro model serves a wallet, and not a key of its account', async () => {
  const wallet = await walletWith(usd('5'))
  const { secret } = await createKey({ accountId: wallet.accountId, type: 'INFERENCE', description: 'agent' })
  expect((await ask(wallet, { model: 'pro' })).status).toBe(200)
  const refused = await call({ model: 'pro' }, { headers: { authorization: `Bearer ${secret}` } })
  expect([refused.status, (await refused.json()).code]).toEqual([401, 'PRO_ONLY_MODEL'])
})
