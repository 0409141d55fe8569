import { type Hex, http, type PrivateKeyAccount, parseEther, parseGwei } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll } from 'vitest'
import { networkOf } from '@/lib/contract/rpc-networks'
import { startAnvil } from '@/sandbox/evm/anvil'

export type TestAnvil = {
  url: string
  ask: <T = unknown>(method: string, params?: unknown[]) => Promise<T>
  sign: (options?: { nonce?: number }) => Promise<Hex>
  account: PrivateKeyAccount
}

const CHAIN_ID = Number(networkOf('ethereum-mainnet')!.chainId)
const RECEIVER = '0x000000000000000000000000000000000000dEaD'

export async function testAnvil(): Promise<TestAnvil> {
  const { url, stop } = await startAnvil(String(CHAIN_ID))
  afterAll(stop)
  const transport = http(url)({})
  const ask = <T>(method: string, params: unknown[] = []) => transport.request({ method, params }) as Promise<T>
  const account = privateKeyToAccount(generatePrivateKey())
  await ask('anvil_setBalance', [account.address, `0x${parseEther('1000').toString(16)}`])
  return {
    url,
    ask,
    account,
    async sign({ nonce } = {}) {
      return account.signTransaction({
        chainId: CHAIN_ID,
        nonce: nonce ?? Number(await ask<Hex>('eth_getTransactionCount', [account.address, 'pending'])),
        to: RECEIVER,
        value: parseEther('1'),
        gas: 21_000n,
        maxFeePerGas: parseGwei('100'),
        maxPriorityFeePerGas: parseGwei('1'),
      })
    },
  }
}
