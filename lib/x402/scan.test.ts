import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '@/lib/db/testing'
import { scanRails } from '@/lib/x402/scan'
import { type EvmWallet, railOf, testWallet } from '@/lib/x402/testing'
import { paymentWorld, TOKEN } from '@/lib/x402/testing-world'
import { testChains } from '@/sandbox/testing'
import { runAdmin } from '@/scripts/admin/run'

const database = await testDatabase()
const chains = await testChains()
const world = await paymentWorld(database, chains)
const { store, tools, sign, credit, creditOf, dieAt } = world

describe('a scan', () => {
  const scan = async () => (await scanRails(tools, { isForced: true })).flatMap(({ credited }) => credited)
  const settledDown = () => sleep(250)

  test('credits what nobody told us of, once, and on both rails', async () => {
    await scan()
    const evm: EvmWallet = await testWallet(chains, 'evm')
    const direct = world.senderOf(evm.account)
    const address = railOf('evm').asset as `0x${string}`
    const pay = (value: bigint) =>
      direct.writeContract({
        address,
        abi: TOKEN,
        functionName: 'transfer',
        args: [chains.sandbox.payTo.evm as `0x${string}`, value],
      })
    await pay(1_500_000n)
    await pay(1_500_000n)
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
