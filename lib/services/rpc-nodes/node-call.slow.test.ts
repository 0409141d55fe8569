import { expect, test, vi } from 'vitest'
import { perProcess } from '@/lib/kernel/per-process'
import { callNode, NodeBody } from '@/lib/services/rpc-nodes/call-node'
import type { Question } from '@/lib/services/rpc-nodes/calls'
import type { RpcNode } from '@/lib/services/rpc-nodes/nodes'
import { ask, freshCall, type Script, setOf, steadyNodes, testNode, withNodes } from '@/lib/services/rpc-nodes/testing'

const QUESTION: Question = {
  body: Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice"}'),
  isBatch: false,
  ids: ['1'],
  isHeavy: false,
}
const gathered = () => perProcess('rpc-gathered', () => ({ bytes: 0 }))

async function nodeWith(script: Script): Promise<RpcNode> {
  const network = withNodes([await testNode('ethereum-mainnet', script)])
  return setOf(network).nodes[0]!
}
const call = (node: RpcNode, ms: number, signal?: AbortSignal) =>
  callNode(node, QUESTION, performance.now() + ms, signal)

test.each<[string, Script]>([
  ['says nothing', () => undefined],
  ['says no more after its head', ({ response }) => response.flushHeaders()],
  [
    'says a byte at a time',
    ({ response }) => {
      response.write('{')
      const timer = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(timer))
    },
  ],
])('a node that %s has failed when the time is over', async (_, script) => {
  const node = await nodeWith(script)
  expect(await call(node, 100)).toMatchObject({ kind: 'failed', fault: 'silent' })
  expect(node).toMatchObject({ inFlight: 0, circuit: { failures: 1 } })
  expect(gathered().bytes).toBe(0)
})

test('what comes in pieces after a while is whole', async () => {
  const node = await nodeWith(({ response }) => {
    response.write('{"id":1,"re')
    setTimeout(() => response.end('sult":[]}'), 60)
  })
  expect(await call(node, 5_000)).toMatchObject({ kind: 'answered', scanned: { items: [{ outcome: 'result' }] } })
  expect(node.light.meanMs).toBeGreaterThan(0)
  expect(gathered().bytes).toBe(0)
})

test('one who leaves in mid-reply leaves nothing behind, and it says nothing of the node', async () => {
  const begun = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const node = await nodeWith(({ response }) => {
    response.on('close', closed.resolve)
    response.write('{"id":1,"result":"', () => begun.resolve())
  })
  const controller = new AbortController()
  const outcome = call(node, 5_000, controller.signal)
  await begun.promise
  controller.abort(new Error('left'))
  await expect(outcome).rejects.toThrow('left')
  await closed.promise
  expect(node).toMatchObject({ inFlight: 0, circuit: { failures: 0 } })
  expect(gathered().bytes).toBe(0)
})

test('a refusal that is too long to read is one all the same', async () => {
  const node = await nodeWith(({ response }) =>
    response.writeHead(400).end(`{"id":1,"error":"${'x'.repeat(100_000)}"}`),
  )
  expect(await call(node, 5_000)).toEqual({ kind: 'refused', status: 400 })
  expect(node.circuit.failures).toBe(0)
})

test('early hints are no reply', async () => {
  const node = await nodeWith(({ response }) => {
    response.writeProcessing()
    response.end('{"id":1,"result":1}')
  })
  expect(await call(node, 5_000)).toMatchObject({ kind: 'answered' })
})

test('when too much is gathered at once, callers are sent away for a moment, and the node is not blamed', async () => {
  const nodes = [await testNode(), await testNode()]
  const network = withNodes(nodes)
  await ask(network, freshCall())
  gathered().bytes += 256 * 1024 * 1024
  try {
    await expect(ask(network, freshCall())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 })
  } finally {
    gathered().bytes -= 256 * 1024 * 1024
  }
  expect(nodes.flatMap(({ seen }) => seen)).toHaveLength(2)
  expect(setOf(network).nodes.every(({ circuit }) => circuit.failures === 0)).toBe(true)
  expect(await ask(network, freshCall())).toMatchObject({ kind: 'answered' })
})

test('a reply in many small pieces takes the memory of one', () => {
  const body = new NodeBody(32 * 1024 * 1024)
  const text = JSON.stringify({ id: 1, result: 'x'.repeat(200_000) })
  const slabs = new Set<ArrayBufferLike>()
  const concat = vi.spyOn(Buffer, 'concat')
  try {
    for (const letter of text) body.push(Buffer.from(Uint8Array.of(letter.charCodeAt(0)).buffer))
    expect(Buffer.from(body.end()!.body).toString()).toBe(text)
    for (const piece of concat.mock.calls[0]![0]) slabs.add(piece.buffer)
  } finally {
    concat.mockRestore()
  }
  expect(slabs.size).toBeLessThan(10)
})

test('of a node whose reply drips nobody waits for the end: the next one answers, and is asked first from then on', async () => {
  const drips: Script = ({ response }) => {
    response.write('{"id":1,')
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  }
  const [first, second] = [await testNode('ethereum-mainnet', drips), await testNode()]
  const network = await steadyNodes([first, second])
  expect(await ask(network, freshCall())).toMatchObject({ kind: 'answered', retries: 1 })
  expect(await ask(network, freshCall())).toMatchObject({ kind: 'answered' })
  await expect
    .poll(async () => {
      await ask(network, freshCall())
      return second.seen.length - first.seen.length
    })
    .toBeGreaterThan(0)
})
