import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkType, newSink } from '@/components/rpc/methods/check-params'
import { EVM_DOCS } from '@/components/rpc/methods/testing'
import { startParams } from '@/components/rpc/methods/types'
import { type Anvil, startAnvil } from '@/sandbox/evm/anvil'

type Reply = { result?: unknown; error?: { code: number; message: string } }

const METHOD_NOT_FOUND = -32601
const BAD_CALLS = [-32700, -32600, -32602]
const MIN_ANSWERED = 40
/** Results that differ from node to node. */
const OWN_OF_A_NODE = ['eth_blockNumber', 'eth_protocolVersion']

let anvil: Anvil
const replies = new Map<string, Reply>()

beforeAll(async () => {
  anvil = await startAnvil('8453')
  for (const doc of EVM_DOCS.values()) replies.set(doc.method, await call(doc.method, startParams(doc)))
})
afterAll(() => anvil?.stop())

test('a node that is a minute old understands every call to begin with, or does not know the method', () => {
  const refused = [...replies].filter(([, { error }]) => error && BAD_CALLS.includes(error.code))
  expect(refused).toEqual([])
  const answered = [...replies.values()].filter(({ error }) => error?.code !== METHOD_NOT_FOUND)
  expect(answered.length).toBeGreaterThan(MIN_ANSWERED)
})

test('what it answers is of the type that the catalogue says', () => {
  for (const { method, result } of EVM_DOCS.values()) {
    const reply = replies.get(method)
    if (!reply || reply.error) continue
    const sink = newSink()
    checkType(result.type, reply.result, [], sink)
    expect(sink.problems, method).toEqual([])
  }
})

test('the results that the catalogue shows are those that it gives', () => {
  for (const { method, example } of EVM_DOCS.values()) {
    const reply = replies.get(method)
    if (!reply || reply.error || example.result === undefined || OWN_OF_A_NODE.includes(method)) continue
    expect(reply.result, method).toEqual(example.result)
  }
})

async function call(method: string, params: unknown): Promise<Reply> {
  const response = await fetch(anvil.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as Reply
}
