import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '@/lib/kernel/testing/time'
import { look } from '@/lib/services/rpc-nodes/health'
import { bitOf, pickNode } from '@/lib/services/rpc-nodes/nodes'
import {
  ask,
  freshCall,
  type Script,
  setOf,
  settle,
  steadyNodes,
  testNode,
  withNodes,
} from '@/lib/services/rpc-nodes/testing'

const after =
  (ms: number): Script =>
  async ({ answer }) => {
    await sleep(ms)
    answer()
  }
const never: Script = () => undefined
const times = async (count: number, run: () => Promise<unknown>) => {
  for (let index = 0; index < count; index++) await run()
}

test('a node on another chain is never asked, and is again when it is right', async () => {
  const [first, second] = [await testNode(), await testNode()]
  first.facts.chainId = '0x2'
  const network = withNodes([first, second])
  await times(5, () => ask(network, freshCall()))
  expect(first.seen).toEqual([])
  expect(second.seen).toHaveLength(5)

  first.facts.chainId = network.chainId
  const [node] = setOf(network).nodes
  // As if a quarter of a minute had passed.
  node!.chain.checkedAt -= 15_000
  await look(setOf(network))
  await ask(network, freshCall())
  expect(first.seen).toHaveLength(1)
})

test('a node that is moved to another chain is found out after five minutes', async () => {
  const [first, second] = [await testNode(), await testNode()]
  const network = await steadyNodes([first, second])
  await ask(network, freshCall())
  expect(first.seen).toHaveLength(1)
  first.facts.chainId = '0x2'
  const [node] = setOf(network).nodes
  node!.chain.checkedAt -= 300_000
  await ask(network, freshCall())
  expect(first.seen).toHaveLength(1)
  expect(second.seen).toHaveLength(1)
})

test('a node that says another chain id than it did is not believed', async () => {
  const [first, second] = [await testNode(), await testNode()]
  const network = await steadyNodes([first, second])
  await ask(network, freshCall())
  first.facts.chainId = '0x2'
  const reply = await ask(network, { method: 'eth_chainId', params: '[]' })
  expect(Buffer.from(reply.body).toString()).toContain('"0x1"')
  await ask(network, freshCall())
  expect(first.seen).toHaveLength(1)
})

test('when all nodes are on other chains nothing is answered', async () => {
  const node = await testNode()
  node.facts.chainId = '0x2'
  await expect(ask(withNodes([node]), freshCall())).rejects.toMatchObject({ code: 'RPC_UPSTREAM_FAILED' })
  expect(node.seen).toEqual([])
})

test('a node that lags comes after the others', async () => {
  const [first, second] = [await testNode(), await testNode()]
  // Of twelve seconds each: ten blocks are the least that counts.
  second.facts.height = 1_009
  const network = await steadyNodes([first, second])
  await ask(network, freshCall())
  await ask(network, freshCall())
  expect(first.seen).toHaveLength(2)
  second.facts.height = 1_010
  await settle(network)
  await ask(network, freshCall())
  expect(first.seen).toHaveLength(2)
  expect(second.seen).toHaveLength(1)
  await second.stop()
  await ask(network, freshCall())
  expect(first.seen).toHaveLength(3)
})

test('what a node answers to eth_blockNumber counts as well', async () => {
  const [first, second] = [await testNode(), await testNode()]
  const network = await steadyNodes([first, second])
  await ask(network, freshCall())
  await look(setOf(network))
  const [, other] = setOf(network).nodes
  first.facts.height = 500
  await ask(network, { method: 'eth_blockNumber', params: '[]' })
  expect(pickNode(setOf(network).nodes, 0, performance.now())).toBe(other)
})

test('a node that is silent is not waited for, and not asked first again', async () => {
  const [first, second] = [await testNode('ethereum-mainnet', never), await testNode()]
  const network = await steadyNodes([first, second], 5)
  expect(await ask(network, freshCall())).toMatchObject({ kind: 'answered', retries: 1 })
  await times(30, () => ask(network, freshCall()))
  expect(first.seen.length).toBeLessThan(15)
  expect(second.seen).toHaveLength(31)
})

test('of two that answer the first wins, and the other is let go', async () => {
  const gone = Promise.withResolvers<void>()
  const first = await testNode('ethereum-mainnet', ({ response }) => void response.on('close', gone.resolve))
  const second = await testNode()
  const network = await steadyNodes([first, second], 5)
  await ask(network, freshCall())
  await gone.promise
})

test('a node that is much slower than another is preferred no more, until it is fast again', async () => {
  const [first, second] = [await testNode('ethereum-mainnet', after(1_000)), await testNode()]
  const network = withNodes([first, second])
  await times(30, () => ask(network, freshCall()))
  expect(first.seen.length).toBeGreaterThan(0)
  expect(first.seen.length).toBeLessThan(15)

  const [node] = setOf(network).nodes
  for (let look = 1; look <= 3; look++) node!.light.learn(1, performance.now() + look * 15_000)
  expect(pickNode(setOf(network).nodes, 0, performance.now())).toBe(node)
})

test('a node that fails again and again rests', async () => {
  const first = await testNode('ethereum-mainnet', ({ response }) => response.writeHead(500).end())
  const second = await testNode()
  const network = withNodes([first, second])
  await ask(network, freshCall())
  await look(setOf(network))
  first.script(({ response }) => response.writeHead(500).end(), { isForAll: true })
  await times(20, () => ask(network, freshCall()))
  expect(first.seen.length).toBeLessThan(5)
  expect(second.seen).toHaveLength(21)
})

test('a node that has had enough of us rests, although it answers', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"error":{"code":-32029,"message":"Too many requests"}}'
  const first = await testNode('ethereum-mainnet', ({ response }) => response.end(body))
  const second = await testNode()
  const network = await steadyNodes([first, second])
  await times(10, () => ask(network, freshCall()))
  expect(second.seen).toHaveLength(10)
  expect(first.seen.length).toBeLessThan(5)
})

test('nodes that work on a heavy call are not asked by all at once', async () => {
  const nodes = [await testNode(), await testNode(), await testNode(), await testNode(), await testNode()]
  const network = withNodes(nodes)
  await ask(network, freshCall())
  await look(setOf(network))
  for (const node of nodes) node.script(never)
  const controller = new AbortController()
  const reply = ask(network, freshCall(), controller.signal)
  await eventually(() => expect(nodes.filter(({ seen }) => seen.length > 0).length).toBeGreaterThanOrEqual(3))
  await sleep(200)
  expect(nodes.reduce((all, { seen }) => all + seen.length, 0)).toBeLessThanOrEqual(4)
  controller.abort(new Error('enough'))
  await expect(reply).rejects.toThrow('enough')
  expect(setOf(network).nodes.every(({ inFlight }) => inFlight === 0)).toBe(true)
})

test('the order is the operator’s when nothing speaks against it', async () => {
  const nodes = [await testNode(), await testNode(), await testNode()]
  const network = withNodes(nodes)
  await ask(network, freshCall())
  await look(setOf(network))
  const set = setOf(network)
  const order: number[] = []
  let tried = 0
  for (let node = pickNode(set.nodes, 0, 0); node; node = pickNode(set.nodes, tried, 0)) {
    order.push(node.number)
    tried |= bitOf(node)
  }
  expect(order).toEqual([1, 2, 3])
})

test('the nodes of a network are looked at while it is used, and the first call does not wait for all of them', async () => {
  const [first, second] = [await testNode(), await testNode()]
  second.script(never, { isForAll: true })
  const network = withNodes([first, second])
  expect(await ask(network, freshCall())).toMatchObject({ kind: 'answered' })
  expect(setOf(network).looking).toBeDefined()
  expect(setOf(network).timer).toBeDefined()
})
