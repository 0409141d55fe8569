import { afterEach, expect, test } from 'vitest'
import { networkOf } from '@/lib/contract/rpc-networks'
import { installSandbox } from '@/lib/services/chains/sandbox'
import { knownHeight, look, networkStates } from '@/lib/services/rpc-nodes/health'
import { findNodes } from '@/lib/services/rpc-nodes/nodes'
import { ask, freshCall, setOf, testNode, withNodes } from '@/lib/services/rpc-nodes/testing'

afterEach(() => installSandbox(undefined))

const stateOf = async (slug: string) => (await networkStates()).find((state) => state.slug === slug)!
const sandboxAt = (evmUrl: string) => installSandbox({ evmUrl, solanaUrl: evmUrl } as never)

test('a network whose node answers is up, with its height', async () => {
  const node = await testNode()
  withNodes([node])
  expect(await stateOf('ethereum-mainnet')).toEqual({
    slug: 'ethereum-mainnet',
    state: 'up',
    isLocal: false,
    height: 1_000,
    latencyMs: expect.any(Number),
    checkedAt: expect.stringMatching(/Z$/),
    reason: null,
  })
  expect(knownHeight(networkOf('ethereum-mainnet')!)).toBe(1_000)
})

test('the highest of its nodes counts, but for those on another chain', async () => {
  const [first, second, third] = [await testNode(), await testNode(), await testNode()]
  second.facts.height = 1_003
  third.facts.height = 9_999_999
  third.facts.chainId = '0x2'
  withNodes([first, second, third])
  expect(await stateOf('ethereum-mainnet')).toMatchObject({ state: 'up', height: 1_003 })
})

test('a network whose nodes are gone or on another chain is down, and says which', async () => {
  const [gone, other] = [await testNode(), await testNode()]
  await gone.stop()
  other.facts.chainId = '0x2'
  withNodes([gone])
  expect(await stateOf('ethereum-mainnet')).toMatchObject({ state: 'down', reason: 'None of its nodes answers.' })
  withNodes([other])
  expect(await stateOf('ethereum-mainnet')).toMatchObject({ state: 'down', reason: 'Its nodes are on another chain.' })
})

test('a network that takes long is slow', async () => {
  const network = withNodes([await testNode()])
  const [node] = setOf(network).nodes
  await look(setOf(network))
  for (let times = 0; times < 50; times++) node!.light.learn(3_000, performance.now())
  expect(await stateOf('ethereum-mainnet')).toMatchObject({ state: 'slow', latencyMs: expect.any(Number) })
})

test('nodes are asked once, however many want to know', async () => {
  const node = await testNode()
  withNodes([node])
  await Promise.all([networkStates(), networkStates()])
  await networkStates()
  expect(node.count('eth_blockNumber')).toBe(1)
})

test('the sandbox says where its chains are, and starts none to find out', async () => {
  const asked: (string | undefined)[] = []
  const node = await testNode('base-mainnet', ({ request, answer }) => {
    asked.push(request.url)
    answer()
  })
  node.script(
    ({ request, answer }) => {
      asked.push(request.url)
      answer()
    },
    { isForAll: true },
  )
  withNodes(['http://127.0.0.1:1'], 'starknet-sepolia')
  sandboxAt(node.url)
  expect(await stateOf('base-mainnet')).toMatchObject({ state: 'up', isLocal: true, height: 1_000 })
  expect(await stateOf('linea-sepolia')).toEqual({
    slug: 'linea-sepolia',
    state: 'up',
    isLocal: true,
    height: null,
    latencyMs: null,
    checkedAt: null,
    reason: null,
  })
  expect(new Set(asked)).toEqual(new Set(['/']))
  expect(await stateOf('starknet-mainnet')).toMatchObject({
    state: 'unconfigured',
    reason: null,
  })
})

test('a local chain is asked for its height once it was used', async () => {
  const node = await testNode('linea-sepolia')
  withNodes(['http://127.0.0.1:1'], 'starknet-sepolia')
  sandboxAt(node.url)
  const urls: (string | undefined)[] = []
  node.script(
    ({ request, answer }) => {
      urls.push(request.url)
      answer()
    },
    { isForAll: true },
  )
  await ask(networkOf('linea-sepolia')!, freshCall())
  expect(await stateOf('linea-sepolia')).toMatchObject({ state: 'up', isLocal: true, height: 1_000 })
  expect(new Set(urls)).toContain('/chain/59141')
})

test('a sandbox whose chains do not run says so, and one that moves is followed', async () => {
  withNodes(['http://127.0.0.1:1'], 'starknet-sepolia')
  const network = networkOf('base-mainnet')!
  expect(findNodes(network)).toMatchObject({ reason: expect.stringContaining('RPC_URLS_BASE_MAINNET') })
  sandboxAt('http://127.0.0.1:1')
  const before = findNodes(network)
  expect(findNodes(network)).toBe(before)
  sandboxAt('http://127.0.0.1:2')
  expect(findNodes(network)).not.toBe(before)
})

test('a node that makes up its height speaks for nobody else', async () => {
  const [lying, good, other] = [await testNode(), await testNode(), await testNode()]
  Object.assign(lying.facts, { height: 2 ** 50, finalized: 2 ** 50 })
  const network = withNodes([good, lying, other])
  await ask(network, freshCall())
  await look(setOf(network))
  expect(setOf(network).nodes.map(({ isLagging }) => isLagging)).toEqual([false, false, false])
  expect(knownHeight(network)).toBe(1_000)
  await expect.poll(() => setOf(network).finalizedHeight).toBe(900)
})

test('what a node made up as final is forgotten when it says so no more', async () => {
  const node = await testNode()
  node.facts.finalized = 1_000
  const network = withNodes([node])
  await ask(network, freshCall())
  await look(setOf(network))
  await expect.poll(() => setOf(network).finalizedHeight).toBe(1_000)
  node.facts.finalized = 900
  await look(setOf(network))
  await expect.poll(() => setOf(network).finalizedHeight).toBe(900)
})
