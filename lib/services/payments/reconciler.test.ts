import { describe, expect, test } from 'vitest'
import { nano } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { rails } from '@/lib/services/chains/rails'
import { chargeOfNano } from '@/lib/services/ledger/testing'
import { createChain } from '@/lib/services/payments/chain'
import { evmNode } from '@/lib/services/payments/chain-evm'
import { reconcilePayments, startReconciler, stopReconciler } from '@/lib/services/payments/reconciler'
import type { Point } from '@/lib/services/payments/settlement'
import type { PaymentRow, PaymentStore } from '@/lib/services/payments/store'
import { type EvmWallet, railOf, testWallet } from '@/lib/services/payments/testing'
import { paymentWorld } from '@/lib/services/payments/testing-payments'
import { testChains } from '@/sandbox/testing'

const database = await testDatabase()
const chains = await testChains()
const world = await paymentWorld(database, chains)
const { store, ledger, tools, sign, credit, stateOf, accountOf, creditOf, outcomeOf, dieAt } = world

describe.each(['evm', 'solana'] as const)('after a death on %s', (family) => {
  test.each<Point>(['received', 'verified', 'settling'])(
    'when it was %s, nothing moved and the same payment works',
    async (point) => {
      const payment = await sign(await testWallet(chains, family))
      await dieAt(point, payment)
      expect(await outcomeOf(payment)).toBe('open')
      await credit(payment)
      expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
    },
  )

  test.each<Point>(['settled', 'found'])(
    'when it was %s, the credit is given in the background, once',
    async (point) => {
      const payment = await sign(await testWallet(chains, family))
      await dieAt(point, payment)
      expect(await outcomeOf(payment)).toBe('credited')
      await credit(payment)
      await reconcilePayments(tools, { isEarly: true })
      expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
    },
  )

  test('when it was credited, only the end is left to see', async () => {
    const payment = await sign(await testWallet(chains, family))
    await dieAt('credited', payment)
    await expect.poll(async () => [await outcomeOf(payment), (await store.find(payment.key))?.isFinal]).toContain(true)
    expect(await stateOf(payment)).toBe('credited')
    expect(await outcomeOf(payment)).toBeUndefined()
  })
})

test('a payment that waits for depth is credited when it has it', async () => {
  const payment = await sign(await testWallet(chains, 'evm'), 150_000_000n)
  chains.pauseBlocks()
  await expect(credit(payment)).rejects.toMatchObject({ code: 'SETTLEMENT_PENDING' })
  expect(await outcomeOf(payment)).toBe('open')
  chains.resumeBlocks()
  await expect.poll(() => outcomeOf(payment)).toBe('credited')
})

test('a chain that is away leaves everything open', async () => {
  const payment = await sign(await testWallet(chains, 'evm'))
  await dieAt('settled', payment)
  const away = { ...tools, chainOf: () => createChain([evmNode('http://127.0.0.1:9', railOf('evm'))]) }
  const resolutions = await reconcilePayments(away, { isEarly: true })
  expect(resolutions.find(({ row }) => row.key === payment.key)?.outcome).toBe('unreachable')
  expect(await outcomeOf(payment)).toBe('credited')
})

test('a node that stands still keeps no payment from its credit while another goes on', async () => {
  const payment = await sign(await testWallet(chains, 'evm'))
  await dieAt('settled', payment)
  const good = evmNode(chains.sandbox.evmUrl, railOf('evm'))
  const still = { ...good, look: async () => ({ status: 'unpaid', head: 1n }) as const }
  const resolutions = await reconcilePayments(
    { ...tools, chainOf: () => createChain([still, good]) },
    { isEarly: true },
  )
  expect(resolutions.find(({ row }) => row.key === payment.key)?.outcome).toBe('credited')
})

test('a payment that cannot be worked on stops no other', async () => {
  const [bad, good] = [await sign(await testWallet(chains, 'evm')), await sign(await testWallet(chains, 'evm'))]
  for (const payment of [bad, good]) await dieAt('settled', payment)
  const credit: PaymentStore['credit'] = async (id, ...rest) => {
    if (id === (await store.find(bad.key))?.id) throw new TypeError('broken')
    return store.credit(id, ...rest)
  }
  const resolutions = await reconcilePayments({ ...tools, store: { ...store, credit } }, { isEarly: true })
  const outcomeOfKey = (key: string) => resolutions.find(({ row }) => row.key === key)?.outcome
  expect([outcomeOfKey(bad.key), outcomeOfKey(good.key)]).toEqual(['open', 'credited'])
  await database.query('update payment set lease_until = null where key = $1', [bad.key])
  expect(await outcomeOf(bad)).toBe('credited')
})

test('what was paid to the receiver before this one stays paid', async () => {
  chains.pauseBlocks()
  const payment = await sign(await testWallet(chains, 'evm'))
  await credit(payment)
  // Far enough for a payment that is not there to be taken back.
  await chains.evm('anvil_mine', ['0x3'])
  chains.resumeBlocks()
  const moved = () => rails().map((rail) => (rail.family === 'evm' ? { ...rail, payTo: `0x${'56'.repeat(20)}` } : rail))
  for (let n = 0; n < 3; n++) await reconcilePayments({ ...tools, rails: moved }, { isEarly: true })
  expect(await stateOf(payment)).toBe('credited')
})

describe('a chain that takes a payment back', () => {
  /** Undoes the last blocks and goes on without their transactions. */
  const reorganise = async () => {
    await chains.evm('anvil_reorg', [1, []])
    await chains.evm('anvil_mine', ['0x3'])
  }
  const creditUndone = async (spentNano: bigint) => {
    chains.pauseBlocks()
    const wallet: EvmWallet = await testWallet(chains, 'evm')
    const payment = await sign(wallet)
    await credit(payment)
    if (spentNano > 0n) {
      const request = { accountId: await accountOf(wallet.address), requestId: 'test', amount: nano(spentNano) }
      await ledger.capture(await ledger.hold(request), chargeOfNano(spentNano))
    }
    await reorganise()
    return payment
  }

  test('is asked again before the credit is taken back; and gives it once more when it comes again', async () => {
    const payment = await creditUndone(0n)
    expect(await outcomeOf(payment)).toBe('missing')
    expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
    expect(await outcomeOf(payment)).toBe('reversed')
    expect(await creditOf(payment.payer)).toBe(0n)
    await world.broadcast(payment)
    chains.resumeBlocks()
    await credit(payment)
    expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
    expect(await stateOf(payment)).toBe('credited')
  })

  test('is looked at on, so that what only seemed gone is credited once more without anybody’s help', async () => {
    const payment = await creditUndone(1_000_000_000n)
    await outcomeOf(payment)
    expect(await outcomeOf(payment)).toBe('reversed')
    expect(await outcomeOf(payment)).toBe('open')
    await world.broadcast(payment)
    expect(await outcomeOf(payment)).toBe('open')
    chains.resumeBlocks()
    await expect.poll(() => outcomeOf(payment)).toBe('credited')
    expect(await creditOf(payment.payer)).toBe(4_000_000_000n)
    await expect.poll(async () => (await outcomeOf(payment)) ?? 'done').toBe('done')
  })

  test('is believed only by who still works on the payment', async () => {
    const payment = await creditUndone(0n)
    const [row] = await store.due(10, true, [])
    await database.query('update payment set lease_until = null where key = $1', [payment.key])
    await store.due(10, true, [])
    expect(await store.reverse(row as PaymentRow, 'late')).toBeUndefined()
    expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
    await database.query('update payment set lease_until = null where key = $1', [payment.key])
    chains.resumeBlocks()
  })

  test('leaves the house with what was spent, and nobody with twice the money when it comes again', async () => {
    const payment = await creditUndone(3_000_000_000n)
    await outcomeOf(payment)
    expect(await outcomeOf(payment)).toBe('reversed')
    expect(await creditOf(payment.payer)).toBe(0n)
    const written = await database.query<{ amount: string }>(
      `select e.amount::text as amount from entry e join txn t on t.id = e.txn_id
       where t.idempotency_key = $1 and e.house = 'write_off'`,
      [`reversal:${payment.key}`],
    )
    expect(written).toEqual([{ amount: '-3000000000' }])
    await world.broadcast(payment)
    chains.resumeBlocks()
    await credit(payment)
    expect(await creditOf(payment.payer)).toBe(2_000_000_000n)
  })

  test('and has it in another block keeps the credit', async () => {
    chains.pauseBlocks()
    const payment = await sign(await testWallet(chains, 'evm'))
    const { row } = await credit(payment)
    await chains.evm('anvil_reorg', [1, []])
    const transaction = await world.broadcast(payment)
    await chains.evm('anvil_mine', ['0x3'])
    for (let n = 0; n < 3; n++) await outcomeOf(payment)
    chains.resumeBlocks()
    const after = await store.find(payment.key)
    expect(after).toMatchObject({ state: 'credited', isFinal: true, transaction })
    expect(transaction).not.toBe(row.transaction)
    expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
  })
})

test('the background work of a process mends what is open until it is stopped', async () => {
  const payment = await sign(await testWallet(chains, 'solana'))
  await dieAt('settled', payment)
  startReconciler()
  await expect.poll(() => stateOf(payment)).toBe('credited')
  await stopReconciler()
})

describe('what can never come any more is given up', () => {
  test('on Solana when its blockhash is too old', async () => {
    const payment = await sign(await testWallet(chains, 'solana'))
    await dieAt('settling', payment)
    chains.skipSlots(200)
    expect(await outcomeOf(payment)).toBe('open')
    chains.skipSlots(200)
    expect(await outcomeOf(payment)).toBe('failed')
    await expect(credit(payment)).rejects.toMatchObject({ code: 'SETTLEMENT_FAILED', status: 402 })
  })

  test('on EVM when its time is over by the chain’s own final clock', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    await dieAt('settling', payment)
    await chains.evm('evm_increaseTime', [400])
    await chains.evm('anvil_mine', ['0x1'])
    expect(await outcomeOf(payment)).toBe('open')
    await chains.evm('anvil_mine', ['0x3'])
    expect(await outcomeOf(payment)).toBe('failed')
    expect(await store.find(payment.key)).toMatchObject({ state: 'failed', reason: 'expired' })
  })
})
