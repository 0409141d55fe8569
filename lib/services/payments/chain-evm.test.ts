import type { Hex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { NodeError, twistedNode } from '@/lib/services/chains/testing-node'
import { evmNode } from '@/lib/services/payments/chain-evm'
import { type EvmWallet, railOf, testWallet } from '@/lib/services/payments/testing'
import { paymentMaker } from '@/lib/services/payments/testing-payments'
import { testChains } from '@/sandbox/testing'

const chains = await testChains()
const maker = await paymentMaker(chains)
const twisted = await twistedNode(chains.sandbox.evmUrl)
const rail = railOf('evm')
const node = evmNode(twisted.url, rail)

afterEach(() => twisted.straighten())

const blocks = (count: number) => chains.evm('anvil_mine', [`0x${count.toString(16)}`])
const cursorOfNow = async () => (await node.scan(undefined)).cursor
const wantedOf = (payment: Awaited<ReturnType<typeof maker.sign>>, deadAfter?: bigint) => ({
  key: payment.key,
  payer: payment.payer,
  notBefore: BigInt(Math.floor(Date.now() / 1_000)) - 3_600n,
  deadAfter,
})
/** A plain transfer, three blocks deep. */
async function payDirectly(units: bigint): Promise<EvmWallet> {
  const wallet = await testWallet(chains, 'evm')
  await maker.payDirectly(wallet, units)
  await blocks(3)
  return wallet
}

describe('a scan', () => {
  test('by a node whose logs are behind its head reads nothing and loses nothing', async () => {
    const cursor = await cursorOfNow()
    const wallet = await payDirectly(7_000_000n)
    twisted.twist('eth_getLogs', () => [])
    twisted.twist('eth_getBlockByNumber', ([block]: [string], real) => (/^0x/.test(block) ? null : real()))
    await expect(node.scan(cursor)).rejects.toThrow()
    twisted.straighten()
    expect((await node.scan(cursor)).transfers).toMatchObject([{ payer: wallet.address, amount: 7_000_000n }])
  })

  test('reads a range that the node finds too long in parts', async () => {
    const cursor = await cursorOfNow()
    const wallets = [await payDirectly(1_000_000n)]
    await blocks(20)
    wallets.push(await payDirectly(2_000_000n))
    twisted.twist('eth_getLogs', ([{ fromBlock, toBlock }]: [{ fromBlock: Hex; toBlock: Hex }], real) => {
      if (BigInt(toBlock) - BigInt(fromBlock) < 4n) return real()
      throw new NodeError(-32000, 'query returned more than 10000 results')
    })
    const { transfers, isDone } = await node.scan(cursor)
    expect(transfers.map(({ payer, amount }) => [payer, amount])).toEqual([
      [wallets[0]?.address, 1_000_000n],
      [wallets[1]?.address, 2_000_000n],
    ])
    expect(isDone).toBe(true)
  })

  test('asks for no receipt of a transfer of nothing', async () => {
    const cursor = await cursorOfNow()
    await payDirectly(0n)
    expect((await node.scan(cursor)).transfers).toEqual([])
    expect(twisted.asked('eth_getTransactionReceipt')).toBe(0)
  })
})

describe('a look', () => {
  test('asks for the chain’s heads and the authorization in one request, so that one machine answers', async () => {
    const wanted = wantedOf(await maker.sign(await testWallet(chains, 'evm')))
    await node.look(wanted)
    twisted.straighten()
    expect(await node.look({ ...wanted, transaction: `0x${'ab'.repeat(32)}` })).toMatchObject({ status: 'unpaid' })
    expect(twisted.requests()).toBe(1)
  })

  test('gives nothing up that was used and whose log the node does not have', async () => {
    const payment = await maker.sign(await testWallet(chains, 'evm'))
    await maker.broadcast(payment)
    await blocks(3)
    const wanted = wantedOf(payment, 1n)
    twisted.twist('eth_getLogs', () => [])
    await expect(node.look(wanted)).rejects.toThrow('used')
    twisted.straighten()
    twisted.twist('eth_getTransactionReceipt', async (_, real) => ({ ...((await real()) as object), logs: [] }))
    await expect(node.look(wanted)).rejects.toThrow('receipt')
    twisted.straighten()
    expect(await node.look(wanted)).toMatchObject({ status: 'paid', amount: 5_000_000n })
  })

  test('reads logs in parts, too', async () => {
    const payment = await maker.sign(await testWallet(chains, 'evm'))
    await maker.broadcast(payment)
    await blocks(30)
    twisted.twist('eth_getLogs', ([{ fromBlock, toBlock }]: [{ fromBlock: Hex; toBlock: Hex }], real) => {
      if (BigInt(toBlock) - BigInt(fromBlock) < 10n) return real()
      throw new NodeError(-32602, 'block range is too large')
    })
    expect(await node.look(wantedOf(payment))).toMatchObject({ status: 'paid' })
  })
})
