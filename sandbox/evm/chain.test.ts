import { createPublicClient, erc20Abi, type Hex, http } from 'viem'
import { expect, test } from 'vitest'
import { USDC_EVM } from '@/lib/contract/chains'
import { testChains } from '@/sandbox/testing'

const chains = await testChains({ blockEveryMs: 50 })
const url = chains.sandbox.evmUrl
const client = createPublicClient({ transport: http(url), cacheTime: 0 })
const HOLDER: Hex = '0x00000000000000000000000000000000000000e1'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const blockOf = async (blockTag: 'safe' | 'finalized') => (await client.getBlock({ blockTag })).number

async function ask(method: string, params: unknown[] = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return response.json() as Promise<object>
}

test('a transfer becomes safe and final by itself, and then the chain rests', async () => {
  await chains.fundEvm(HOLDER, 1_000_000n)
  const mined = await client.getBlockNumber()
  for (let tries = 0; tries < 100 && (await blockOf('finalized')) < mined; tries++) await sleep(20)
  expect(await blockOf('finalized')).toBeGreaterThanOrEqual(mined)
  expect(await blockOf('safe')).toBeGreaterThan(mined)
  await sleep(150)
  const rest = await client.getBlockNumber()
  await sleep(200)
  expect(await client.getBlockNumber()).toBe(rest)
})

test('several addresses are funded at once', async () => {
  const addresses = Array.from({ length: 8 }, (_, at): Hex => `0x${'ab'.repeat(19)}0${at}`)
  await Promise.all(addresses.map((address) => chains.fundEvm(address, 1_000_000n)))
  const read = (address: Hex) =>
    client.readContract({ address: USDC_EVM, abi: erc20Abi, functionName: 'balanceOf', args: [address] })
  expect(await Promise.all(addresses.map(read))).toEqual(addresses.map(() => 1_000_000n))
})

test('while blocks are paused nothing becomes final', async () => {
  chains.pauseBlocks()
  await chains.fundEvm(HOLDER, 1n)
  const mined = await client.getBlockNumber()
  await sleep(200)
  expect(await client.getBlockNumber()).toBe(mined)
  expect(await blockOf('finalized')).toBeLessThan(mined)
  chains.resumeBlocks()
  for (let tries = 0; tries < 100 && (await blockOf('finalized')) < mined; tries++) await sleep(20)
  expect(await blockOf('finalized')).toBeGreaterThanOrEqual(mined)
})

test('the node cannot be turned to an address of the caller’s', async () => {
  for (const method of ['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl']) {
    expect(await ask(method, [{ forking: { jsonRpcUrl: 'http://127.0.0.1:1' } }])).toMatchObject({
      id: 'a',
      error: { code: -32601 },
    })
  }
})

test('what the node answers with an error comes through as it is', async () => {
  expect(await ask('eth_getBalance', ['nonsense'])).toMatchObject({ id: 'a', error: { code: -32602 } })
  expect(await ask('sandbox_fund', ['nonsense', '1'])).toMatchObject({ error: { code: -32602 } })
})
