import { encodeFunctionData, parseSignature } from 'viem'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { ledgerUnavailable } from '@/lib/services/ledger/refusal'
import { ChainUnavailable, chainOf, createChain } from '@/lib/services/payments/chain'
import { evmNode } from '@/lib/services/payments/chain-evm'
import type { Chain, EvmPayload, Payment } from '@/lib/services/payments/payment-types'
import { typedData } from '@/lib/services/payments/read-payment'
import type { Point } from '@/lib/services/payments/settlement'
import type { PaymentStore } from '@/lib/services/payments/store'
import { type EvmWallet, railOf, testWallet } from '@/lib/services/payments/testing'
import { paymentWorld, TOKEN } from '@/lib/services/payments/testing-payments'
import { createTopUps } from '@/lib/services/payments/top-up'
import { testChains } from '@/sandbox/testing'

const database = await testDatabase()
const chains = await testChains()
const world = await paymentWorld(database, chains)
const { store, sign, creditOf } = world
let settled = 0
const facilitator: typeof world.facilitator = {
  ...world.facilitator,
  settle: (payment) => {
    settled++
    return world.facilitator.settle(payment)
  },
}
const topUps = createTopUps({ store, chainOf, facilitator: async () => facilitator, waitsMs: [50, 100, 200] })
const send = (payment: Payment, through = topUps) => world.send(payment, through)

describe('when somebody else sends the payment to the chain', () => {
  const asset = railOf('evm').asset as `0x${string}`

  test('its payer is credited, once', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    await world.broadcast(payment)
    const before = settled
    for (let n = 0; n < 2; n++) expect(await send(payment)).toMatchObject({ status: 200, credit: 5_000_000_000n })
    expect(settled).toBe(before)
  })

  test('together with another of the same payer and amount, each is credited', async () => {
    const wallet = await testWallet(chains, 'evm')
    const payments = [await sign(wallet), await sign(wallet)]
    const calls = payments.map((payment) => ({ target: asset, callData: encodeFunctionData(world.callOf(payment)) }))
    await (await world.stranger()).writeContract({
      address: '0xcA11bde05977b3631167028862bE2a173976CA11',
      abi: TOKEN,
      functionName: 'tryAggregate',
      args: [true, calls],
    })
    for (const payment of payments) expect(await send(payment)).toMatchObject({ status: 200 })
    expect(await creditOf(wallet.address)).toBe(10_000_000_000n)
    const rows = await Promise.all(payments.map(({ key }) => store.find(key)))
    expect(rows[0]?.transaction).toBe(rows[1]?.transaction)
  })

  test('what the payer canceled fails for good', async () => {
    const wallet: EvmWallet = await testWallet(chains, 'evm')
    const payment = await sign(wallet)
    const { nonce } = (payment.payload as EvmPayload).authorization
    const signature = await wallet.account.signTypedData({
      domain: { ...railOf('evm').extra, chainId: 8453, verifyingContract: asset },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: wallet.account.address, nonce },
    })
    const { r, s, yParity } = parseSignature(signature)
    const functionName = 'cancelAuthorization'
    const args = [wallet.account.address, nonce, yParity + 27, r, s] as const
    await (await world.stranger()).writeContract({ address: asset, abi: TOKEN, functionName, args })
    for (let n = 0; n < 2; n++) {
      expect(await send(payment)).toEqual({ status: 402, code: 'SETTLEMENT_FAILED', state: 'failed', credit: 0n })
    }
  })

  test('what the same authorization paid to somebody else is no payment to us', async () => {
    const wallet: EvmWallet = await testWallet(chains, 'evm')
    const payment = await sign(wallet)
    const elsewhere = structuredClone(payment.payload) as EvmPayload
    elsewhere.authorization.to = `0x${'34'.repeat(20)}`
    const fake = { ...payment, payload: elsewhere } as Extract<Payment, { family: 'evm' }>
    elsewhere.signature = await wallet.account.signTypedData(typedData(fake))
    await world.broadcast(fake)
    expect(await send(payment)).toEqual({ status: 402, code: 'SETTLEMENT_FAILED', state: 'failed', credit: 0n })
  })
})

test('what a facilitator calls used while our own node is behind stays open, and is nowhere called refused', async () => {
  const payment = await sign(await testWallet(chains, 'evm'))
  await world.broadcast(payment)
  const behind: Chain = { ...chainOf(payment.rail), look: async () => ({ status: 'unpaid', head: 1n }) }
  const late = createTopUps({ store, chainOf: () => behind, facilitator: async () => facilitator })
  expect(await send(payment, late)).toEqual({ status: 503, code: 'SETTLEMENT_PENDING', state: 'unknown', credit: 0n })
  expect(await send(payment)).toMatchObject({ status: 200, credit: 5_000_000_000n })
})

describe('who works on a payment', () => {
  const working = (at: (point: Point, key: string) => unknown, changes: Partial<PaymentStore> = {}) => ({
    async send(payment: Payment, proof?: string) {
      const through = createTopUps({
        store: { ...store, ...changes },
        chainOf,
        facilitator: async () => facilitator,
        at: async (point) => void (await at(point, payment.key)),
      })
      return through.credit(payment, proof)
    },
  })
  const takeOver = (key: string) => database.query('update payment set attempts = attempts + 1 where key = $1', [key])

  test('does not settle it when another has taken it over in the meantime', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    const before = settled
    const late = working((point, key) => point === 'verified' && takeOver(key))
    await expect(late.send(payment)).rejects.toMatchObject({ code: 'PAYMENT_IN_PROGRESS' })
    expect(settled).toBe(before)
  })

  test('still serves the request that it came with when another credits it first', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    const overtaken = working(async (point, key) => {
      if (point !== 'found') return
      const row = await store.find(key)
      const found = row && (await chainOf(payment.rail).look(row.wanted))
      if (row && found?.status === 'paid') await store.credit(row.id, found)
    })
    expect(await overtaken.send(payment, 'proof')).toMatchObject({ hasServed: true, row: { state: 'credited' } })
    expect(await working(() => undefined).send(payment, 'proof')).toMatchObject({ hasServed: false })
    expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
  })

  test('and comes to grief after it was settled says that it is pending', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    const broken = working(() => undefined, { credit: () => Promise.reject(new TypeError('broken')) })
    await expect(broken.send(payment)).rejects.toMatchObject({ status: 503, body: { error: 'SETTLEMENT_PENDING' } })
    expect(await send(payment)).toMatchObject({ status: 200, credit: 5_000_000_000n })
  })

  test('without a database says so in the shape of payments, and settles nothing', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    const before = settled
    const away = working(() => undefined, { find: () => Promise.reject(ledgerUnavailable(new Error('away'))) })
    await expect(away.send(payment)).rejects.toMatchObject({
      status: 503,
      retryAfterSeconds: expect.any(Number),
      body: { error: 'SERVICE_UNAVAILABLE', message: expect.any(String) },
    })
    const broken = working(() => undefined, { receive: () => Promise.reject(new TypeError('broken')) })
    await expect(broken.send(payment)).rejects.toMatchObject({ status: 500, body: { error: 'UNKNOWN_ERROR' } })
    expect(settled).toBe(before)
  })
})

describe('when the chain', () => {
  const dead: Chain = createChain([evmNode('http://127.0.0.1:9', railOf('evm'))])

  test('cannot be reached, nothing is settled', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    const before = settled
    const offline = createTopUps({ store, chainOf: () => dead, facilitator: async () => facilitator })
    expect(await send(payment, offline)).toMatchObject({ status: 503, code: 'SETTLEMENT_PENDING', state: 'received' })
    expect(settled).toBe(before)
    expect(await send(payment)).toMatchObject({ status: 200, credit: 5_000_000_000n })
  })

  test('goes away while it settles, the payment stays open', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    let isGone = false
    const real = chainOf(payment.rail)
    const leaving: Chain = { ...real, look: (...args) => (isGone ? dead.look(...args) : real.look(...args)) }
    const at = (point: string) => {
      isGone = point === 'settled'
    }
    const halfway = createTopUps({
      store,
      chainOf: () => leaving,
      facilitator: async () => facilitator,
      waitsMs: [1],
      at,
    })
    expect(await send(payment, halfway)).toMatchObject({
      status: 503,
      code: 'SETTLEMENT_PENDING',
      state: 'unknown',
      credit: 0n,
    })
    expect(await send(payment)).toMatchObject({ status: 200, credit: 5_000_000_000n })
  })

  test('is another one, its word is worth nothing', async () => {
    const rail = { ...railOf('evm'), network: 'eip155:1' as never }
    const chain = createChain([evmNode(chains.sandbox.evmUrl, rail)])
    const wanted = {
      key: `eip155:1:${rail.asset}:0x${'1'.repeat(40)}:0x${'2'.repeat(64)}`,
      payer: `0x${'1'.repeat(40)}`,
      notBefore: 0n,
    }
    await expect(chain.look(wanted)).rejects.toThrow(ChainUnavailable)
  })

  test('has several nodes, one that is down does not matter, and one alone gives nothing up', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    const rail = railOf('evm')
    const good = evmNode(chains.sandbox.evmUrl, rail)
    const lying = { ...good, look: async () => ({ status: 'dead', reason: 'expired', head: 1n }) as const }
    const down = evmNode('http://127.0.0.1:9', rail)
    const wanted = { key: payment.key, payer: payment.payer, notBefore: 0n }
    expect(await createChain([down, good]).look(wanted)).toMatchObject({ status: 'unpaid' })
    expect(await createChain([lying, good]).look(wanted)).toMatchObject({ status: 'unpaid' })
    await expect(createChain([lying, down]).look(wanted)).rejects.toThrow(ChainUnavailable)
    expect(await createChain([lying, { ...lying }]).look(wanted)).toMatchObject({ status: 'dead' })
    expect(await createChain([good, down]).look(wanted)).toMatchObject({ status: 'unpaid' })
    await expect(createChain([good, down]).look(wanted, { isTerminal: true })).rejects.toThrow(ChainUnavailable)
  })
})

test('above 100 USD one confirmation is not enough', async () => {
  const wallet = await testWallet(chains, 'evm')
  chains.pauseBlocks()
  const [large, small] = [await sign(wallet, 100_000_001n), await sign(wallet, 100_000_000n)]
  expect(await send(large)).toEqual({ status: 503, code: 'SETTLEMENT_PENDING', state: 'confirming', credit: 0n })
  chains.resumeBlocks()
  await expect.poll(() => send(large)).toMatchObject({ status: 200, credit: 100_000_001_000n })
  chains.pauseBlocks()
  expect(await send(small)).toMatchObject({ status: 200, credit: 200_000_001_000n })
  chains.resumeBlocks()
})

test('a Solana payment that failed on its chain is refused for good, and its like pays', async () => {
  const wallet = await testWallet(chains, 'solana', 5_000_000n)
  const [payment, other] = [await sign(wallet), await sign(wallet)]
  expect(await send(other)).toMatchObject({ status: 200 })
  await world.forceSolana(payment)
  expect(await send(payment)).toEqual({
    status: 402,
    code: 'SETTLEMENT_FAILED',
    state: 'failed',
    credit: 5_000_000_000n,
  })
  expect((await store.find(payment.key))?.reason).toBe('failed_on_chain')
  await chains.fundSolana(wallet.address, 5_000_000n)
  expect(await send(payment)).toMatchObject({ status: 402, credit: 5_000_000_000n })
})

test('on Solana what is final at once is credited at once', async () => {
  const payment = await sign(await testWallet(chains, 'solana'), 500_000_000n)
  expect(await send(payment)).toMatchObject({ status: 200, credit: 500_000_000_000n })
})

test('a payment that is worked on by somebody who died is taken over when the lease ends', async () => {
  const payment = await sign(await testWallet(chains, 'evm'))
  await store.receive(payment, 2n ** 62n)
  expect(await send(payment)).toMatchObject({ status: 409, code: 'PAYMENT_IN_PROGRESS' })
  await database.query(`update payment set lease_until = now() - interval '1 second' where key = $1`, [payment.key])
  expect(await send(payment)).toMatchObject({ status: 200, credit: 5_000_000_000n })
})

test('a payment whose amount or transaction was tampered with is found', async () => {
  const payment = await sign(await testWallet(chains, 'evm'))
  await send(payment)
  const broken = async () =>
    (await checkLedger(database, { depth: 'full' })).filter((finding) => finding.broken > 0).map(({ name }) => name)
  const set = (change: string) => database.query(`update payment set ${change} where key = $1`, [payment.key])
  await set('amount = amount + 1')
  expect(await broken()).toEqual(['INV-7'])
  await set(`amount = amount - 1, state = 'failed'`)
  expect(await broken()).toEqual(['INV-6', 'INV-7'])
  await set(`state = 'credited'`)
  expect(await broken()).toEqual([])
})
