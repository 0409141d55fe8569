import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  callsOf,
  duplicated,
  faultOf,
  importedBatch,
  moved,
  newItem,
  problemsOf,
  restored,
} from '@/components/rpc/batch/items'
import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { networkOf } from '@/lib/contract/rpc-networks'

const network = networkOf('base-mainnet')!
const items = ['eth_chainId', 'eth_blockNumber', 'eth_gasPrice'].map((method) => newItem({ method, params: [] }))
const methods = (list: { method: string }[]) => list.map(({ method }) => method)

test('a call moves to any place and back, and the others keep their order', () => {
  const many = Array.from({ length: 6 }, (_, index) => newItem({ method: `eth_call${index}`, params: [] }))
  fc.assert(
    fc.property(fc.nat(5), fc.nat(5), (from, to) => {
      const next = moved(many, many[from]!.id, to)
      expect(next[to]).toBe(many[from])
      expect(next.filter((item) => item !== many[from])).toEqual(many.filter((item) => item !== many[from]))
      expect(moved(next, many[from]!.id, from)).toEqual(many)
    }),
  )
  expect(moved(items, items[0]!.id, -1)).toEqual(items)
  expect(moved(items, items[0]!.id, 3)).toEqual(items)
})

test('a copy stands right below, with an identity of its own', () => {
  const next = duplicated(items, items[1]!.id)
  expect(methods(next)).toEqual(['eth_chainId', 'eth_blockNumber', 'eth_blockNumber', 'eth_gasPrice'])
  expect(new Set(next.map(({ id }) => id)).size).toBe(4)
})

test('what was removed comes back where it was', () => {
  const [first, second, third] = items as [(typeof items)[0], (typeof items)[0], (typeof items)[0]]
  expect(restored([first, third], second, 1)).toEqual(items)
  expect(restored([], second, 1)).toEqual([second])
})

test('a batch never grows beyond what the service takes', () => {
  const full = Array.from({ length: MAX_RPC_BATCH_CALLS }, () => newItem({ method: 'eth_chainId', params: [] }))
  expect(duplicated(full, full[0]!.id)).toHaveLength(MAX_RPC_BATCH_CALLS)
  expect(restored(full, items[0]!, 0)).toHaveLength(MAX_RPC_BATCH_CALLS)
})

test('one call that cannot be sent holds the whole batch back, and says why', () => {
  expect(callsOf(items, network)).toEqual(items.map(({ method }) => ({ method, params: [] })))
  expect(callsOf([], network)).toBeUndefined()
  const fault = (method: string, paramsText = '[]') => faultOf({ id: 'x', method, paramsText }, network)
  expect(fault('')).toMatch(/Enter a method/)
  expect(fault('eth_newFilter')).toMatch(/eth_getLogs/)
  expect(fault('starknet_chainId')).toMatch(/Starknet network/)
  expect(fault('eth_call', '[1,')).toMatch(/JSON/)
  expect(fault('eth_call', '7')).toMatch(/array or object/)
  expect(callsOf([...items, { id: 'x', method: 'eth_call', paramsText: '[' }], network)).toBeUndefined()
})

test('what a node would refuse is said, and does not hold it back', () => {
  const check = () => [{ path: [0, 'to'], message: 'An address has 40 digits.', severity: 'error' as const }]
  const item = newItem({ method: 'eth_call', params: [{ to: '0x1' }] })
  expect(problemsOf(item, network, check)).toEqual({
    notes: [{ text: 'Parameter 1 › to: An address has 40 digits.', severity: 'error' }],
  })
  expect(callsOf([item], network)).toHaveLength(1)
})

test('a batch as programs send it is taken over as it is', () => {
  const call = fc.record({
    method: fc.constantFrom('eth_call', 'eth_getLogs'),
    params: fc.oneof(
      fc.array(fc.jsonValue({ maxDepth: 2 })),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    ),
  })
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 5 }), (calls) => {
      const text = JSON.stringify(calls.map((each, id) => ({ jsonrpc: '2.0', id, ...each })))
      const imported = importedBatch(text)
      expect(JSON.stringify(imported)).toBe(JSON.stringify({ calls }))
      const back = 'calls' in imported ? callsOf(imported.calls.map(newItem), network) : undefined
      expect(JSON.stringify(back)).toBe(JSON.stringify(calls))
    }),
  )
})

test('a comma between quotation marks stays as it is', () => {
  const params = [{ ',': {}, 'a","b': '","' }, ',', '\\","', 'x', 'latest']
  const { paramsText } = newItem({ method: 'eth_call', params })
  expect(JSON.parse(paramsText)).toEqual(params)
  expect(paramsText).toContain('"x", "latest"')
})

test('a single call, and one without parameters, are batches too', () => {
  expect(importedBatch('{"method":"eth_chainId"}')).toEqual({ calls: [{ method: 'eth_chainId', params: [] }] })
})

test.each([
  ['', 'Not valid JSON'],
  ['[]', 'empty'],
  ['{}', 'Call 1'],
  ['[{"method":"eth_chainId"},{"method":7}]', 'Call 2'],
  ['[{"method":"eth_chainId","params":"x"}]', 'Call 1'],
  [JSON.stringify(Array.from({ length: 101 }, () => ({ method: 'eth_chainId' }))), 'up to 100 calls'],
])('%.40s is no batch: %s', (text, words) => {
  expect(importedBatch(text)).toEqual({ problem: expect.stringContaining(words) })
})
