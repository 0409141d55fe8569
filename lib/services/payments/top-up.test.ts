import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ApiError } from '@/lib/contract/errors'
import { testDatabase } from '@/lib/db/testing'
import { chainOf } from '@/lib/services/payments/chain'
import { httpFacilitator } from '@/lib/services/payments/facilitator'
import type { Payment } from '@/lib/services/payments/payment-types'
import { type Mood, testFacilitator, testWallet } from '@/lib/services/payments/testing'
import { paymentWorld, type Said } from '@/lib/services/payments/testing-payments'
import { createTopUps } from '@/lib/services/payments/top-up'
import { testChains } from '@/sandbox/testing'

const database = await testDatabase()
const chains = await testChains()
const server = await testFacilitator(chains)
const world = await paymentWorld(database, chains)
const { store, sign } = world
const facilitator = httpFacilitator({ url: server.url }, { verifyMs: 2_000, settleMs: 500, supportedMs: 500 })
const topUps = createTopUps({ store, chainOf, facilitator: async () => facilitator, waitsMs: [50, 100, 200] })
const send = (payment: Payment) => world.send(payment, topUps)

afterEach(() => server.set(undefined))

describe.each(['evm', 'solana'] as const)('on %s, when the facilitator', (family) => {
  test.each<[Mood, Said]>([
    ['lies-settled', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['hangs', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['fails', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['talks-html', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['says-already-used', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['says-pending', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['says-refused', { status: 402, code: 'SETTLEMENT_FAILED', state: 'failed', credit: 0n }],
    ['verifies-nothing', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['is-down', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['confirms-too-late', { status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n }],
    ['hangs-after-settling', { status: 200, code: 'OK', state: 'credited', credit: 5_000_000_000n }],
    ['resets-after-settling', { status: 200, code: 'OK', state: 'credited', credit: 5_000_000_000n }],
    ['says-refused-after-settling', { status: 200, code: 'OK', state: 'credited', credit: 5_000_000_000n }],
  ])('%s, the chain decides, and the same payment ends well later', async (mood, said) => {
    const payment = await sign(await testWallet(chains, family))
    server.set(mood)
    expect(await send(payment)).toEqual(said)
    server.set(undefined)
    expect(await send(payment)).toEqual({ status: 200, code: 'OK', state: 'credited', credit: 5_000_000_000n })
  })
})

test.each(['evm', 'solana'] as const)(
  'on %s, money that moves after the facilitator gave up is credited once, and nobody is told to pay again',
  async (family) => {
    const payment = await sign(await testWallet(chains, family))
    server.set('confirms-too-late')
    const error = await topUps.credit(payment).catch((thrown: unknown) => thrown as ApiError)
    const row = await store.find(payment.key)
    expect(error).toMatchObject({
      status: 503,
      retryAfterSeconds: expect.any(Number),
      body: { error: 'SETTLEMENT_PENDING', details: { paymentId: row?.id } },
    })
    expect(await world.outcomeOf(payment)).toBe('open')
    expect(await server.settleLate()).toMatchObject([{ success: true }])
    expect(await world.outcomeOf(payment)).toBe('credited')
    expect(await send(payment)).toEqual({ status: 200, code: 'OK', state: 'credited', credit: 5_000_000_000n })
  },
)

test('an open payment says its id, and when to come back', async () => {
  const payment = await sign(await testWallet(chains, 'evm'))
  server.set('fails')
  const error = await topUps.credit(payment).catch((thrown: unknown) => thrown as ApiError)
  const row = await store.find(payment.key)
  expect(error).toMatchObject({
    retryAfterSeconds: 3,
    body: { error: 'SETTLEMENT_PENDING', details: { paymentId: row?.id } },
  })
  // Whoever asks on and on would meet the limit of top-ups.
  await database.query(`update payment set created_at = now() - interval '1 minute' where key = $1`, [payment.key])
  await expect(topUps.credit(payment)).rejects.toMatchObject({ retryAfterSeconds: 10 })
})

test('a facilitator that is down names the fee payer that it had, or none', async () => {
  const asked = httpFacilitator({ url: server.url }, { supportedMs: 300 })
  const feePayer = await asked.feePayer()
  expect(feePayer).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
  server.set('is-down')
  expect(await asked.feePayer()).toBe(feePayer)
  expect(await httpFacilitator({ url: server.url }, { supportedMs: 300 }).feePayer()).toBeUndefined()
})

test('a facilitator that never says who pays the fees holds nobody up', async () => {
  const silent = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  expect(await httpFacilitator({ url }, { supportedMs: 300 }).feePayer()).toBeUndefined()
})
