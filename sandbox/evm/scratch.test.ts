import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { optimismSepolia } from 'viem/chains'
import { afterAll, expect, test, vi } from 'vitest'
import { createScratchChains } from './scratch'

const chains = createScratchChains({ blockEveryMs: 50 })
afterAll(() => chains.stop())

const ask = (chainId: string, method: string, params: unknown[] = []) =>
  chains.answerOf(chainId)!({ jsonrpc: '2.0', id: 1, method, params })

test('a chain starts with the first request for it and has the id of its network', async () => {
  const [first, second] = await Promise.all([ask('10', 'eth_chainId'), ask('10', 'eth_chainId')])
  expect([first, second]).toEqual(['0xa', '0xa'])
  expect(await ask('11155111', 'eth_chainId')).toBe('0xaa36a7')
  const finalized = (await ask('10', 'eth_getBlockByNumber', ['finalized', false])) as { number: string }
  expect(finalized.number).toBe('0x0')
})

test('there is none for an id that no network has', () => {
  for (const id of ['31337', '', '010', '0xa', '10/../8453']) expect(chains.answerOf(id)).toBeUndefined()
})

test('it takes signed transactions of those that got coins', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  await ask('11155420', 'sandbox_ether', [account.address])
  const raw = await account.signTransaction({
    chainId: optimismSepolia.id,
    to: '0x00000000000000000000000000000000000000b0',
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
    nonce: 0,
    type: 'eip1559',
  })
  const hash = await ask('11155420', 'eth_sendRawTransaction', [raw])
  // It is mined by itself, mostly before the hash is told.
  await expect.poll(() => ask('11155420', 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
})

test('it cannot be made to send requests elsewhere', async () => {
  await expect(ask('10', 'anvil_reset', [{ forking: { jsonRpcUrl: 'http://127.0.0.1:1' } }])).rejects.toThrow(
    'not possible here',
  )
  await expect(ask('10', 'sandbox_ether', ['nobody'])).rejects.toThrow('an address')
})

test('one that ends because nobody asked does not take the next one with it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  const own = createScratchChains({ blockEveryMs: 50 })
  try {
    const answer = own.answerOf('59144')!
    const askOwn = (method: string, params: unknown[] = []) => answer({ jsonrpc: '2.0', id: 1, method, params })
    await askOwn('eth_chainId')
    await vi.advanceTimersByTimeAsync(17 * 60_000)
    const { address } = privateKeyToAccount(generatePrivateKey())
    await askOwn('sandbox_ether', [address])
    expect(BigInt((await askOwn('eth_getBalance', [address, 'latest'])) as string)).toBeGreaterThan(0n)
  } finally {
    vi.useRealTimers()
    await own.stop()
  }
})
