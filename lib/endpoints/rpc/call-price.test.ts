import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pico, usdNumber } from '@/lib/contract/money'
import { METHOD_GROUPS } from '@/lib/contract/rpc-methods'
import { NETWORKS, networkOf, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { creditsOfRefusal, creditsOfReply, creditsOfRequest } from '@/lib/endpoints/rpc/call'
import { priceOf } from '@/lib/services/ledger/meter'
import type { RpcRequest } from '@/lib/services/rpc-nodes/calls'
import { ReplyScanner, type ScannedReply } from '@/lib/services/rpc-nodes/reply'

const base = networkOf('base-mainnet')!
const zksync = networkOf('zksync-mainnet')!

const single = (method: string, id = '1'): RpcRequest => ({ calls: [{ method, id }], isBatch: false })
const batch = (...calls: [method: string, id?: string][]): RpcRequest => ({
  calls: calls.map(([method, id]) => (id === undefined ? { method } : { method, id })),
  isBatch: true,
})

function scanned(text: string): ScannedReply {
  const scanner = new ReplyScanner()
  scanner.push(Buffer.from(text))
  return scanner.end()!
}
const reply = (...items: unknown[]): ScannedReply => scanned(JSON.stringify(items))
const cost = (request: RpcRequest, ...items: unknown[]): number => creditsOfReply(base, request, reply(...items))

test.each<[string, RpcNetwork, string, number, number]>([
  ['a standard call', base, 'eth_call', 20, 0.000014],
  ['a standard call on zkSync', zksync, 'eth_call', 30, 0.000021],
  ['an extension', zksync, 'zks_getProof', 30, 0.000021],
  ['an advanced call', base, 'trace_block', 40, 0.000028],
  ['a large trace', base, 'trace_replayTransaction', 80, 0.000056],
  ['a Starknet call', networkOf('starknet-mainnet')!, 'starknet_call', 20, 0.000014],
])('%s with a result', (_, network, method, credits, dollars) => {
  const request = single(method)
  expect(creditsOfRequest(network, request)).toBe(credits)
  expect(creditsOfReply(network, request, scanned('{"id":1,"result":null}'))).toBe(credits)
  expect(usdNumber(priceOf([{ units: credits, price: pico(700_000n) }]))).toBe(dollars)
})

test('a single call is its tier whatever id comes back, and an error is 5', () => {
  expect(creditsOfReply(base, single('trace_block'), scanned('{"result":1}'))).toBe(40)
  expect(creditsOfReply(base, single('trace_block'), scanned('{"id":"other","result":1}'))).toBe(40)
  expect(creditsOfReply(base, single('trace_block'), scanned('{"id":1,"error":{"code":1}}'))).toBe(5)
})

test('a batch is the sum of its items: the example of the contract', () => {
  const request = batch(['eth_chainId', '1'], ['eth_call', '2'])
  const answer = scanned(`[ { "jsonrpc": "2.0", "id": 1, "result": "0x2105" },
    { "jsonrpc": "2.0", "id": 2, "error": { "code": -32602, "message": "invalid params" } } ]`)
  expect(creditsOfReply(base, request, answer)).toBe(25)
  expect(usdNumber(priceOf([{ units: 25, price: pico(700_000n) }]))).toBe(0.0000175)
})

test('replies belong to calls by id, in whatever order they come', () => {
  const request = batch(['eth_call', '1'], ['trace_block', '"b"'], ['txpool_content', '3'])
  expect(creditsOfRequest(base, request)).toBe(140)
  expect(cost(request, { id: 'b', result: 1 }, { id: 3, result: 1 })).toBe(120)
  expect(cost(request, { id: 3, error: {} }, { id: 1, result: 1 }, { id: 'b', result: 1 })).toBe(65)
})

test('an id that nobody sent is 5', () => {
  const request = batch(['trace_block', '1'], ['trace_block', '2'])
  expect(cost(request, { id: 1, result: 1 }, { id: 7, result: 1 })).toBe(45)
  expect(cost(request, { result: 1 }, { id: null, result: 1 })).toBe(10)
})

test('1 and "1" are two ids', () => {
  const request = batch(['trace_block', '1'], ['eth_call', '"1"'])
  expect(cost(request, { id: '1', result: 1 })).toBe(20)
  expect(cost(request, { id: 1, result: 1 })).toBe(40)
  expect(cost(batch(['eth_call', '"1"'], ['eth_call', '"2"']), { id: 1, result: 1 })).toBe(5)
  expect(
    cost(batch(['eth_call', 'null'], ['eth_call', '"null"']), { id: 'null', result: 1 }, { id: 'null', result: 1 }),
  ).toBe(25)
})

test('each call is paid for once: ids that are sent twice pair one by one, in order', () => {
  const request = batch(['eth_call', '1'], ['txpool_content', '1'], ['trace_block', '1'])
  expect(cost(request, { id: 1, result: 1 })).toBe(20)
  expect(cost(request, { id: 1, result: 1 }, { id: 1, result: 1 })).toBe(100)
  expect(cost(request, { id: 1, error: {} }, { id: 1, result: 1 })).toBe(85)
  expect(cost(batch(['trace_block', '1'], ['eth_call', '2']), { id: 1, result: 1 }, { id: 1, result: 1 })).toBe(45)
})

test('calls without an id are 5 where a node answers them all the same, and nothing where it does not', () => {
  const request = batch(['trace_block'], ['eth_call', '1'])
  expect(cost(request, { id: 1, result: 1 })).toBe(20)
  expect(cost(request, { id: null, result: 1 }, { id: 1, result: 1 })).toBe(25)
})

test('a batch in which no call has an id is asked for replies, and costs what its calls cost', () => {
  const request = batch(['trace_replayTransaction'], ['eth_call'])
  expect(cost(request, { id: null, result: 1 }, { id: null, error: {} })).toBe(85)
  expect(cost(request, { id: null, result: 1 }, { id: null, result: 1 })).toBe(100)
})

test('an id that a node spells in another way is the same id', () => {
  for (const [sent, answered] of [
    ['"\\u0061\\/"', '"a/"'],
    ['"é"', '"\\u00e9"'],
    ['"\\ud800"', '"\ufffd"'],
    ['9007199254740993', '9007199254740992'],
    ['-0', '0'],
    ['5', '5.0'],
  ] as const) {
    const request = batch(['trace_block', sent], ['eth_call', '"other"'])
    expect(creditsOfReply(base, request, scanned(`[{"id":${answered},"result":1}]`)), sent).toBe(40)
  }
})

test('one error for a whole batch is 5, and what was not asked for is free', () => {
  const request = batch(['trace_block', '1'], ['trace_block', '2'])
  expect(creditsOfReply(base, request, scanned('{"id":null,"error":{"code":-32600}}'))).toBe(5)
  expect(cost(request, { id: 1, result: 1 }, { id: 3, error: {} }, { id: 2, result: 1 })).toBe(45)
})

test.each([
  [400, 15],
  [401, 15],
  [403, 15],
  [404, 15],
  [413, 15],
  [499, 15],
  [402, 0],
  [429, 0],
  [500, 0],
  [502, 0],
  [503, 0],
  [599, 0],
  [301, 0],
])('a refusal with %i of three calls is %i', (status, credits) => {
  expect(creditsOfRefusal(batch(['eth_call', '1'], ['eth_call'], ['trace_block', '1']), status)).toBe(credits)
})

const methods = METHOD_GROUPS.filter(({ family }) => family === 'evm').flatMap((group) => group.methods)
const evm = NETWORKS.filter(({ family }) => family === 'evm')
const anyId = fc.constantFrom(undefined, 'null', '1', '2', '3', '"1"', '"2"', '1e0', '"\\u0031"')
const anyRequest = fc.oneof(
  fc
    .array(fc.tuple(fc.constantFrom(...methods), anyId), { minLength: 1, maxLength: 8 })
    .map((calls) => batch(...calls)),
  fc.constantFrom(...methods).map((method) => single(method)),
)
const anyReply: fc.Arbitrary<ScannedReply> = fc.record({
  isBatch: fc.boolean(),
  items: fc.array(
    fc
      .record({ id: anyId, outcome: fc.constantFrom('result' as const, 'error' as const) })
      .map(({ id, outcome }) => (id === undefined ? { outcome } : { id, outcome })),
    { minLength: 1, maxLength: 12 },
  ),
})

test('whatever a node answers, it never costs more than its request was priced at', () => {
  fc.assert(
    fc.property(fc.constantFrom(...evm), anyRequest, anyReply, (network, request, answer) => {
      const credits = creditsOfReply(network, request, answer)
      expect(credits).toBeLessThanOrEqual(creditsOfRequest(network, request))
      expect(credits).toBeGreaterThanOrEqual(5)
    }),
    { numRuns: 3_000 },
  )
})

test('where every id is another and every call has a result, it costs what its request was priced at, in any order', () => {
  const distinct = fc
    .uniqueArray(fc.integer(), { minLength: 1, maxLength: 20 })
    .chain((ids) =>
      fc.tuple(
        fc.constant(ids),
        fc.array(fc.constantFrom(...methods), { minLength: ids.length, maxLength: ids.length }),
        fc.shuffledSubarray(ids, { minLength: ids.length }),
      ),
    )
  fc.assert(
    fc.property(distinct, ([ids, names, order]) => {
      const request = batch(...ids.map((id, index): [string, string] => [names[index]!, String(id)]))
      expect(cost(request, ...order.map((id) => ({ id, result: null })))).toBe(creditsOfRequest(base, request))
    }),
  )
})

test('a method without a price is a fault of ours, not a free call', () => {
  expect(() => creditsOfRequest(base, single('eth_sign'))).toThrow(RangeError)
})
