import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { rails } from '@/lib/services/chains/rails'
import { testContext } from '@/lib/services/identity/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { chainOf } from '@/lib/services/payments/chain'
import { facilitator } from '@/lib/services/payments/facilitator'
import { payOnRoute } from '@/lib/services/payments/pay-on-route'
import { readPayment } from '@/lib/services/payments/read-payment'
import { reconcilePayments } from '@/lib/services/payments/reconciler'
import { createStore } from '@/lib/services/payments/store'
import { payV2, sha256, termsOf, testWallet, toBase64, toHeader } from '@/lib/services/payments/testing'
import { topUps } from '@/lib/services/payments/top-up'
import { testChains } from '@/sandbox/testing'

const database = await testDatabase()
const chains = await testChains()
const store = createStore(async () => database)

beforeEach(() => resetPerProcess('windows'))
afterAll(async () => {
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter(({ broken }) => broken > 0)).toEqual([])
})

async function pay(header: string, name = 'PAYMENT-SIGNATURE') {
  const context = testContext({ headers: { [name]: header } })
  const caller = await payOnRoute(context).catch((error: unknown) => {
    if (error instanceof ApiError) return error
    throw error
  })
  return { context, caller }
}
const codeOf = ({ caller }: Awaited<ReturnType<typeof pay>>) => (caller instanceof ApiError ? caller.code : 'admitted')
const signed = async (family: 'evm' | 'solana', units?: bigint) => {
  const wallet = await testWallet(chains, family, units)
  return { wallet, payment: await payV2(chains.sandbox, wallet, await termsOf(chains.sandbox, family)) }
}

describe.each(['evm', 'solana'] as const)('on %s', (family) => {
  test('a payment admits its payer, whose account it makes', async () => {
    const { wallet, payment } = await signed(family)
    const { context, caller } = await pay(toHeader(payment))
    const [account] = await database.query<{ id: string; kind: string }>(
      'select id, kind from account where ref = $1',
      [wallet.address],
    )
    expect(account).toMatchObject({ kind: 'wallet' })
    expect(caller).toEqual({
      accountId: account?.id,
      kind: 'wallet',
      address: wallet.address,
      isPro: false,
      rateMultiplier: 1,
      via: { type: 'payment' },
    })
    expect(context.facts).toMatchObject({ accountId: account?.id, balanceRemaining: 5_000_000_000n })
    const response = JSON.parse(Buffer.from(context.facts.paymentResponse ?? '', 'base64').toString())
    expect(response).toMatchObject({ success: true, payer: wallet.address, transaction: expect.any(String) })
  })

  test('it admits one request and no other, though the chain shows it to everybody', async () => {
    const { payment } = await signed(family)
    const header = toHeader(payment)
    expect(codeOf(await pay(header))).toBe('admitted')
    const repeats = await Promise.all([pay(header), pay(header, 'X-PAYMENT'), pay(toBase64({ ...payment, note: 1 }))])
    for (const repeat of repeats) {
      expect(repeat.caller).toMatchObject({ status: 409, body: { error: 'PAYMENT_ALREADY_CREDITED' } })
      expect(repeat.context.facts.paymentResponse).toBeDefined()
      expect(repeat.context.facts.balanceRemaining).toBeUndefined()
    }
  })

  test('of ten at once one is admitted', async () => {
    const { payment } = await signed(family)
    const codes = (await Promise.all(Array.from({ length: 10 }, () => pay(toHeader(payment))))).map(codeOf)
    expect(codes.filter((code) => code === 'admitted')).toHaveLength(1)
    for (const code of codes) expect(['admitted', 'PAYMENT_IN_PROGRESS', 'PAYMENT_ALREADY_CREDITED']).toContain(code)
  })
})

test('a payment that was credited in the background admits the request that it came with, and nobody else’s', async () => {
  const { payment } = await signed('evm')
  const header = toHeader(payment)
  const { key } = await readPayment(header, rails())
  chains.pauseBlocks()
  // As if the process had died with the settlement: the row is there, the money moved.
  const proof = sha256(header)
  const read = await readPayment(header, rails())
  await store.receive(read, 2n ** 62n, proof)
  await (await facilitator()).settle(read)
  await database.query('update payment set lease_until = null where key = $1', [key])
  await reconcilePayments({ store, rails, chainOf }, { isEarly: true })
  chains.resumeBlocks()
  expect(await store.find(key)).toMatchObject({ state: 'credited' })

  expect(codeOf(await pay(toBase64({ ...payment, note: 'from the chain' })))).toBe('PAYMENT_ALREADY_CREDITED')
  expect(codeOf(await pay(header))).toBe('admitted')
  expect(codeOf(await pay(header))).toBe('PAYMENT_ALREADY_CREDITED')
})

test('a payment that was for a top-up admits nobody', async () => {
  const { payment } = await signed('evm')
  await topUps().credit(await readPayment(toHeader(payment), rails()))
  expect(codeOf(await pay(toHeader(payment)))).toBe('PAYMENT_ALREADY_CREDITED')
})

test('a payment that fails admits nobody, and says why in the shape of payments', async () => {
  const { payment } = await signed('evm', 1n)
  const { caller } = await pay(toHeader(payment))
  expect(caller).toMatchObject({ status: 400, body: { error: 'PAYMENT_VERIFICATION_FAILED' } })
  expect((await pay('nonsense!')).caller).toMatchObject({ body: { error: 'INVALID_PAYMENT_FORMAT' } })
})

test('an account that was closed is credited and not served', async () => {
  const { wallet, payment } = await signed('evm')
  await database.query(
    `insert into account (id, kind, ref, status) values (gen_random_uuid(), 'wallet', $1, 'disabled')`,
    [wallet.address],
  )
  expect(codeOf(await pay(toHeader(payment)))).toBe('API_ACCESS_DISABLED')
})

test('it counts among the top-ups of an address', async () => {
  const context = () => testContext({ headers: { 'PAYMENT-SIGNATURE': 'e30=' }, clientAddress: '192.0.2.7' })
  const codes: string[] = []
  // The minute may change meanwhile.
  for (let n = 0; n <= 20 && codes.at(-1) !== 'RATE_LIMIT_EXCEEDED'; n++) {
    await payOnRoute(context()).catch((error: ApiError) => codes.push(error.code))
  }
  expect(codes.length).toBeGreaterThan(10)
  expect(codes[9]).toBe('INVALID_PAYMENT_FORMAT')
  expect(codes.at(-1)).toBe('RATE_LIMIT_EXCEEDED')
})
