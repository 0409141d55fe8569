import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { POST } from '@/app/api/v1/x402/top-up/route'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { withEnvironment } from '@/lib/services/identity/testing'
import type { Payment } from '@/lib/services/payments/payment-types'
import { createStore } from '@/lib/services/payments/store'
import { payV2, termsOf, testWallet, toBase64 } from '@/lib/services/payments/testing'
import { paymentMaker } from '@/lib/services/payments/testing-payments'
import { testChains } from '@/sandbox/testing'

const database = await testDatabase()
const chains = await testChains()
const { sandbox } = chains
const maker = await paymentMaker(chains)
const store = createStore(async () => database)

beforeEach(() => resetPerProcess('windows'))

/** Shape E8, closed. Source: API contract, README 7.1. */
const Failure = z.strictObject({
  error: z.string().regex(/^[A-Z0-9_]+$/),
  message: z.string().min(10),
  details: z.record(z.string(), z.unknown()).optional(),
})
const Option = z.strictObject({
  scheme: z.literal('exact'),
  network: z.string().regex(/^[a-z0-9]+:\w+$/),
  asset: z.string(),
  amount: z.literal('5000000'),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.strictObject({ name: z.string(), version: z.string(), feePayer: z.string().optional() }),
})
const Terms = z.strictObject({
  x402Version: z.literal(2),
  error: z.string(),
  resource: z.strictObject({ url: z.url(), description: z.string(), mimeType: z.string() }),
  accepts: z.array(Option).min(1),
})

async function post(headers: Record<string, string> = {}) {
  const request = new Request('http://localhost:3000/api/v1/x402/top-up', { method: 'POST', headers })
  const response = await POST(request, { params: Promise.resolve({}) })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
type Answer = Awaited<ReturnType<typeof post>>

/** What every reply of this route has. */
function expectUsual({ headers }: Answer): void {
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('cf-ray')).toMatch(/^[0-9a-f]{16}-\w+$/)
  expect(headers.get('x-service-version')).toMatch(/^\d{8}\.\d{6}$/)
}

function expectFailure(answer: Answer, status: number, code: string): z.infer<typeof Failure> {
  expect([answer.status, answer.body.error]).toEqual([status, code])
  expectUsual(answer)
  expect(answer.headers.get('x-service-host-name')).toBeTruthy()
  for (const name of ['payment-response', 'x-balance-remaining']) expect(answer.headers.get(name)).toBeNull()
  if (status !== 402) expect(answer.headers.get('payment-required')).toBeNull()
  return Failure.parse(answer.body)
}

const wallet = await testWallet(chains, 'evm')
const good = await payV2(sandbox, wallet, await termsOf(sandbox, 'evm'))
type Wire = {
  accepted: Record<string, unknown>
  payload: { signature: string; authorization: Record<string, unknown> }
}
const changed = (change: (payment: Wire) => unknown) => {
  const payment = structuredClone(good) as unknown as Wire
  return toBase64(change(payment) ?? payment)
}
const signed = async (amount: bigint) =>
  toBase64(await payV2(sandbox, wallet, await termsOf(sandbox, 'evm', { amount })))
const headerOf = ({ payload, amount, network, rail }: Payment) =>
  toBase64({
    x402Version: 2,
    accepted: { scheme: 'exact', network, asset: rail.asset, amount: String(amount), payTo: rail.payTo },
    payload,
  })

describe('a payment that is refused by what it says', () => {
  test.each<[string, string, () => string | Promise<string>]>([
    ['no base64', 'INVALID_PAYMENT_FORMAT', () => 'no base64!'],
    ['base64 of no JSON', 'INVALID_PAYMENT_FORMAT', () => 'AAAA'],
    ['no object', 'INVALID_PAYMENT_FORMAT', () => toBase64('text')],
    ['more than 16 KiB', 'INVALID_PAYMENT_FORMAT', () => 'A'.repeat(16_388)],
    ['no payload', 'INVALID_PAYMENT_FORMAT', () => changed(({ payload: _, ...rest }) => rest)],
    ['another scheme', 'UNSUPPORTED_SCHEME', () => changed((p) => void Object.assign(p.accepted, { scheme: 'upto' }))],
    [
      'another network',
      'UNSUPPORTED_NETWORK',
      () => changed((p) => void Object.assign(p.accepted, { network: 'base-sepolia' })),
    ],
    [
      'another token',
      'UNSUPPORTED_TOKEN',
      () => changed((p) => void Object.assign(p.accepted, { asset: wallet.address })),
    ],
    [
      'another receiver',
      'INVALID_PAYMENT_RECIPIENT',
      () => changed((p) => void Object.assign(p.payload.authorization, { to: wallet.address })),
    ],
    [
      'another amount than in its terms',
      'INVALID_AMOUNT',
      () => changed((p) => void Object.assign(p.accepted, { amount: '5000001' })),
    ],
    [
      'an amount of nothing',
      'INVALID_AMOUNT',
      () => changed((p) => void Object.assign(p.payload.authorization, { value: '0' })),
    ],
    ['4.999999 USD', 'AMOUNT_TOO_LOW', () => signed(4_999_999n)],
    ['10,000.000001 USD', 'AMOUNT_TOO_HIGH', () => signed(10_000_000_001n)],
    [
      'a payer that is no address',
      'INVALID_PAYMENT_PAYER',
      () => changed((p) => void Object.assign(p.payload.authorization, { from: 'me' })),
    ],
    [
      'the signature of another payment',
      'PAYMENT_VERIFICATION_FAILED',
      () => changed((p) => void Object.assign(p.payload.authorization, { nonce: `0x${'5'.repeat(64)}` })),
    ],
    ['more than the wallet has', 'PAYMENT_VERIFICATION_FAILED', () => signed(9_000_000_000n)],
  ])('%s: 400 %s', async (_, code, header) => {
    const failure = expectFailure(await post({ 'PAYMENT-SIGNATURE': await header() }), 400, code)
    if (code === 'PAYMENT_VERIFICATION_FAILED') expect(failure.details).toEqual({ reason: expect.any(String) })
    if (code === 'AMOUNT_TOO_LOW') expect(failure.details).toEqual({ minimumAmount: '5000000' })
    if (code === 'AMOUNT_TOO_HIGH') expect(failure.details).toEqual({ maximumAmount: '10000000000' })
  })
})

test('a payment that another request settles: 409, and when to come back', async () => {
  const payment = await maker.sign(wallet)
  const row = await store.receive(payment, 2n ** 62n)
  const answer = await post({ 'PAYMENT-SIGNATURE': headerOf(payment) })
  const { details } = expectFailure(answer, 409, 'PAYMENT_IN_PROGRESS')
  expect(details).toEqual({ paymentId: row?.id })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('a payment of which nobody knows yet: 503, its id, and when to come back', async () => {
  chains.pauseBlocks()
  const payment = await maker.sign(wallet, 150_000_000n)
  await maker.broadcast(payment)
  const answer = await post({ 'PAYMENT-SIGNATURE': headerOf(payment) })
  chains.resumeBlocks()
  const { details, message } = expectFailure(answer, 503, 'SETTLEMENT_PENDING')
  expect(details).toEqual({ paymentId: (await store.find(payment.key))?.id })
  expect(message).toContain('Do not sign a new one')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('a payment that can never settle: 402, the reason, and the terms for another', async () => {
  const poor = await testWallet(chains, 'solana', 0n)
  const payment = await maker.sign(poor)
  await maker.forceSolana(payment)
  const answer = await post({ 'PAYMENT-SIGNATURE': headerOf(payment) })
  const { details } = expectFailure(answer, 402, 'SETTLEMENT_FAILED')
  expect(details).toEqual({ paymentId: (await store.find(payment.key))?.id, reason: 'failed_on_chain' })
  const header = answer.headers.get('payment-required') ?? ''
  Terms.parse(JSON.parse(Buffer.from(header, 'base64').toString()))
})

test('no payment: 402 with the terms, in the body without their error and resource', async () => {
  const answer = await post()
  expect(answer.status).toBe(402)
  expectUsual(answer)
  const terms = Terms.parse(JSON.parse(Buffer.from(answer.headers.get('payment-required') ?? '', 'base64').toString()))
  expect(answer.body).toEqual({ x402Version: 2, accepts: terms.accepts })
  expect(terms.accepts.map(({ network }) => network.split(':')[0])).toEqual(['eip155', 'solana'])
  expect(terms.accepts.map(({ extra }) => extra.feePayer === undefined)).toEqual([true, false])
})

test('no way to pay: 503', async () => {
  await withEnvironment({ SANDBOX: 'off' }, async () => {
    expectFailure(await post({ 'PAYMENT-SIGNATURE': toBase64(good) }), 503, 'X402_NOT_CONFIGURED')
  })
})

test('the canonical header counts where several are sent', async () => {
  const nonsense = toBase64({})
  const [first, second] = [await maker.sign(wallet), await maker.sign(wallet)]
  const both = await post({ 'PAYMENT-SIGNATURE': headerOf(first), 'X-402-Payment': nonsense, 'X-PAYMENT': nonsense })
  expect(both.status).toBe(200)
  const older = await post({ 'X-402-Payment': headerOf(second), 'X-PAYMENT': nonsense })
  expect(older.status).toBe(200)
  expectFailure(
    await post({ 'PAYMENT-SIGNATURE': nonsense, 'X-PAYMENT': headerOf(first) }),
    400,
    'INVALID_PAYMENT_FORMAT',
  )
})
