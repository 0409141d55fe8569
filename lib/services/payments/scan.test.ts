import { describe, expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { scanRails } from '@/lib/services/payments/reconciler'
import { type EvmWallet, testWallet } from '@/lib/services/payments/testing'
import { paymentWorld } from '@/lib/services/payments/testing-payments'
import { testChains } from '@/sandbox/testing'
import { runAdmin } from '@/server/admin/run'

const database = await testDatabase()
const chains = await testChains()
const world = await paymentWorld(database, chains)
const { store, tools, sign, credit, creditOf, dieAt } = world

describe('a scan', () => {
  const scan = async () => (await scanRails(tools, { isForced: true })).flatMap(({ credited }) => credited)
  /** On top of which everything before is final. */
  const settledDown = () => chains.evm('anvil_mine', ['0x3'])

  test('credits what nobody told us of, once, and on both rails', async () => {
    await scan()
    const evm: EvmWallet = await testWallet(chains, 'evm')
    for (let n = 0; n < 2; n++) await world.payDirectly(evm, 1_500_000n)
    const unknown = await sign(await testWallet(chains, 'evm'))
    await world.broadcast(unknown)
    const solana = await sign(await testWallet(chains, 'solana'))
    await world.broadcast(solana)
    await settledDown()

    const found = await scan()
    expect(found.map(({ payer, amount }) => [payer, amount])).toEqual(
      expect.arrayContaining([
        [evm.address, 1_500_000n],
        [evm.address, 1_500_000n],
        [unknown.payer, 5_000_000n],
        [solana.payer, 5_000_000n],
      ]),
    )
    expect(await creditOf(evm.address)).toBe(3_000_000_000n)
    expect(await scan()).toEqual([])
    for (const payment of [unknown, solana]) {
      await credit(payment)
      expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
    }
  })

  test('mends a payment that was given up and was paid after all, and leaves those alone that were credited', async () => {
    const [given, known] = [await sign(await testWallet(chains, 'evm')), await sign(await testWallet(chains, 'evm'))]
    await store.receive(given, 2n ** 62n)
    await database.query(`update payment set state = 'failed', lease_until = null where key = $1`, [given.key])
    await world.broadcast(given)
    await credit(known)
    await settledDown()
    expect((await scan()).map(({ key }) => key)).toEqual([given.key])
    expect(await creditOf(given.payer)).toBe(5_000_000_000n)
    expect(await creditOf(known.payer)).toBe(5_000_000_000n)
  })

  test('is one process’s turn at a time', async () => {
    await database.query(`delete from installation where key like 'payments-scan:%'`)
    const [first, second] = [await scanRails(tools), await scanRails(tools)]
    expect([first.length, second.length]).toEqual([2, 0])
  })

  test('from a block that the operator names reads that block, and skips nothing that was not read yet', async () => {
    const wallet: EvmWallet = await testWallet(chains, 'evm')
    const pay = async () => {
      await world.payDirectly(wallet, 1_000_000n)
      const block = Number(await chains.evm<string>('eth_blockNumber'))
      await settledDown()
      return block
    }
    await scan()
    await pay()
    expect((await runAdmin(['topups', 'reconcile', '--from-block', '999999'])).exitCode).toBe(0)
    expect(await creditOf(wallet.address)).toBe(1_000_000_000n)
    const block = await pay()
    await database.query(`update installation set value = '${block + 1}' where key like 'payments-read:eip155%'`)
    await scan()
    expect(await creditOf(wallet.address)).toBe(1_000_000_000n)
    await runAdmin(['topups', 'reconcile', '--from-block', String(block)])
    expect(await creditOf(wallet.address)).toBe(2_000_000_000n)
  })

  test('the operator’s command does all of it and says what it did', async () => {
    const payment = await sign(await testWallet(chains, 'evm'))
    await dieAt('settled', payment)
    const answer = await runAdmin(['topups', 'reconcile'])
    expect(answer.exitCode).toBe(0)
    expect(answer.output).toMatch(new RegExp(`5.000000 USD of ${payment.payer}`))
    expect(await creditOf(payment.payer)).toBe(5_000_000_000n)
    expect((await runAdmin(['topups', 'reconcile', '--from-block', 'x'])).exitCode).toBe(2)
    expect((await runAdmin(['topups', 'reconcile', '--from-block', '0'])).output).toContain('eip155:8453: ')
  })
})
