import { describe, expect, test } from 'vitest'
import { networkOf } from '@/lib/contract/rpc-networks'
import { installSandbox } from '@/lib/services/chains/sandbox'
import type { RpcCall } from '@/lib/services/rpc-nodes/calls'
import { look } from '@/lib/services/rpc-nodes/health'
import { nodesOf } from '@/lib/services/rpc-nodes/nodes'
import { scan } from '@/lib/services/rpc-nodes/reply'
import { cacheKey, keepResult, knownResult } from '@/lib/services/rpc-nodes/result-cache'
import { ask, type Script, setOf, testNode, textOf, withNodes } from '@/lib/services/rpc-nodes/testing'

const HASH = `0x${'ab'.repeat(32)}`
const FINALIZED = 900
const hex = (number: number) => `0x${number.toString(16)}`
const saying =
  (result: string): Script =>
  ({ calls, response }) =>
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(calls[0]!.id)},"result":${result}}`)

async function heardOf(call: RpcCall, result: string, facts: { finalized?: number } = { finalized: FINALIZED }) {
  const node = await testNode('ethereum-mainnet', saying(result))
  node.facts.finalized = facts.finalized
  const network = withNodes([node])
  await ask(network, { method: 'eth_gasPrice' })
  await look(setOf(network))
  await expect.poll(() => node.count('eth_getBlockByNumber')).toBeGreaterThan(0)
  await expect.poll(() => setOf(network).finalizedHeight).toBe(facts.finalized)
  node.seen.length = 0
  const first = await ask(network, call)
  const second = await ask(network, { ...call, id: '"other"' })
  expect(textOf(second)).toBe(`{"jsonrpc":"2.0","id":"other","result":${result}}`)
  const { result: at } = (second as Extract<typeof second, { kind: 'answered' }>).scanned.items[0]!
  expect(textOf(second).slice(at!.start, at!.end)).toBe(result)
  expect(first.kind).toBe('answered')
  return node.seen.length
}

const byHash = (method: string, more = ''): RpcCall => ({ method, params: `["${HASH}"${more}]` })

describe('asked for twice, the node hears once of', () => {
  test.each([
    [
      'a final block',
      byHash('eth_getBlockByHash', ',true'),
      `{"transactions":[{"blockNumber":"${hex(1)}"}],"number":"${hex(FINALIZED)}"}`,
    ],
    ['a transaction in one', byHash('eth_getTransactionByHash'), `{"blockNumber": "${hex(3)}"}`],
    ['a receipt in one', byHash('eth_getTransactionReceipt'), `{"blockNumber":"${hex(FINALIZED)}","logs":[]}`],
    ['the receipts of one', byHash('eth_getBlockReceipts'), `[{"blockNumber":"${hex(5)}"}]`],
  ])('%s', async (_, call, result) => {
    expect(await heardOf(call, result)).toBe(1)
  })
})

describe('asked for twice, the node hears twice of', () => {
  test.each([
    ['a block that is not final', byHash('eth_getBlockByHash'), `{"number":"${hex(FINALIZED + 1)}"}`],
    ['a pending transaction', byHash('eth_getTransactionByHash'), '{"blockNumber":null}'],
    ['what is not there', byHash('eth_getTransactionReceipt'), 'null'],
    ['a block without transactions', byHash('eth_getBlockReceipts'), '[]'],
    ['a block by number', { method: 'eth_getBlockReceipts', params: '["0x1"]' }, `[{"blockNumber":"${hex(1)}"}]`],
    ['a balance', { method: 'eth_getBalance', params: `["${HASH}"]` }, '"0x1"'],
    [
      'a receipt of many bytes',
      byHash('eth_getTransactionReceipt'),
      `{"blockNumber":"0x1","x":"${'x'.repeat(262_144)}"}`,
    ],
  ])('%s', async (_, call, result) => {
    expect(await heardOf(call as RpcCall, result)).toBe(2)
  })

  test('anything on a network that knows no final block', async () => {
    expect(await heardOf(byHash('eth_getTransactionReceipt'), '{"blockNumber":"0x1"}', {})).toBe(2)
  })
})

test('the chain id is asked for once, and an error is not kept', async () => {
  const node = await testNode()
  const network = withNodes([node])
  const asked = async () => {
    const before = node.count('eth_chainId')
    await ask(network, { method: 'eth_chainId' })
    await ask(network, { method: 'eth_chainId', params: '[]' })
    return node.count('eth_chainId') - before
  }
  await ask(network, { method: 'eth_gasPrice' })
  expect(await asked()).toBe(1)
  node.script(({ response }) => response.end('{"id":1,"error":{"code":1,"message":"no"}}'))
  await ask(network, { method: 'net_version' })
  await ask(network, { method: 'net_version' })
  expect(node.seen.filter(({ method }) => method === 'net_version')).toHaveLength(2)
})

test('of a local chain, which may be reset, nothing is kept but its id', () => {
  installSandbox({ evmUrl: 'http://127.0.0.1:1', solanaUrl: 'http://127.0.0.1:1' } as never)
  try {
    const local = { ...nodesOf(networkOf('base-mainnet')!), finalizedHeight: FINALIZED }
    expect(local.isLocal).toBe(true)
    const call = byHash('eth_getTransactionReceipt')
    const key = cacheKey(local, call)!
    const answer = scan(Buffer.from('{"id":1,"result":{"blockNumber":"0x1"}}'))!
    keepResult(local, key, call, answer)
    expect(knownResult(key)).toBeUndefined()
    keepResult({ ...local, isLocal: false }, key, call, answer)
    expect(knownResult(key)).toEqual(Buffer.from('{"blockNumber":"0x1"}'))

    const chainId: RpcCall = { method: 'eth_chainId' }
    keepResult(local, cacheKey(local, chainId)!, chainId, scan(Buffer.from('{"id":1,"result":"0x2105"}'))!)
    expect(knownResult(cacheKey(local, chainId)!)).toEqual(Buffer.from('"0x2105"'))
  } finally {
    installSandbox(undefined)
  }
})

test('what is kept holds no memory but its own', () => {
  const network = withNodes(['http://127.0.0.1:1'])
  const set = nodesOf(network)
  const call = { method: 'eth_chainId', id: '1' }
  const key = cacheKey(set, call)!
  keepResult(set, key, call, scan(Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))!)
  expect(knownResult(key)?.buffer.byteLength).toBe('"0x1"'.length)
})

test('what is no chain id is not kept as one', async () => {
  const long = JSON.stringify({ no: 'x'.repeat(100) })
  const node = await testNode()
  const network = withNodes([node])
  await ask(network, { method: 'eth_gasPrice' })
  node.script(saying(long), { isForAll: true })
  await expect(ask(network, { method: 'eth_chainId' })).rejects.toMatchObject({ code: 'RPC_UPSTREAM_FAILED' })
})
