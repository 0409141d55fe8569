import { expect, test } from 'vitest'
import { putValue } from '@/components/rpc/form/value'
import { fallbackFor } from '@/components/rpc/method-list'
import { startParams } from '@/components/rpc/methods/types'
import { methodDoc } from '@/components/rpc/panels'
import type { Use } from '@/components/rpc/response/decode/decoded'
import type { RpcFamily } from '@/lib/contract/rpc-networks'

const ADDRESS = '0x000000000000000000000000000000000000bEEF'
const HASH = `0x${'ab'.repeat(32)}`

async function put(family: RpcFamily, method: string, use: Use, params?: unknown) {
  const doc = (await methodDoc(family, method))!
  return putValue(doc, params ?? startParams(doc), use)?.params
}

test('a value goes into the first place that takes its kind, and the rest stays', async () => {
  const balance = await put('evm', 'eth_getBalance', { kind: 'address', value: ADDRESS }, ['0x01', '0x10'])
  expect(balance).toEqual([ADDRESS, '0x10'])
  const block = await put('evm', 'eth_getBalance', { kind: 'block', value: '0x2' }, ['0x01', '0x10'])
  expect(block).toEqual(['0x01', '0x2'])
})

test('an address finds its place within a transaction', async () => {
  const params = await put('evm', 'eth_call', { kind: 'address', value: ADDRESS }, [{ data: '0x' }, 'latest'])
  expect(JSON.stringify(params)).toContain(ADDRESS)
  expect(params).toMatchObject([{ data: '0x' }, 'latest'])
})

test('parameters by name keep their names', async () => {
  const params = await put('starknet', 'starknet_getTransactionReceipt', { kind: 'hash', value: HASH })
  expect(params).toMatchObject({ transaction_hash: HASH })
})

test('a method without a place for it says so, and the one that is asked then has one', async () => {
  expect(await put('evm', 'eth_chainId', { kind: 'address', value: ADDRESS })).toBeUndefined()
  for (const [family, kinds] of [
    ['evm', ['address', 'hash', 'block']],
    ['starknet', ['address', 'hash']],
  ] as const) {
    for (const kind of kinds) {
      const method = fallbackFor(family, kind)!
      expect(JSON.stringify(await put(family, method, { kind, value: HASH })), method).toContain(HASH)
    }
  }
})
