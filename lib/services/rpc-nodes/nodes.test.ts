import * as chains from 'viem/chains'
import { expect, test } from 'vitest'
import { NETWORKS } from '@/lib/contract/rpc-networks'
import { Latency, PUBLIC_NODES } from '@/lib/services/rpc-nodes/nodes'

const BUSY_MS = 10

function learnt(samples: number[], everyMs = BUSY_MS): Latency {
  const latency = new Latency()
  for (const [index, ms] of samples.entries()) latency.learn(ms, index * everyMs)
  return latency
}

test('a node that is even is given little more than it takes', () => {
  const { meanMs, hedgeDelayMs } = learnt(Array(100).fill(100))
  expect(meanMs).toBeCloseTo(100)
  expect(hedgeDelayMs).toBeGreaterThanOrEqual(100)
  expect(hedgeDelayMs).toBeLessThan(102)
})

test('a node that is uneven is given more', () => {
  const uneven = learnt(Array.from({ length: 100 }, (_, index) => (index % 2 ? 60 : 140)))
  expect(uneven.hedgeDelayMs).toBeGreaterThan(200)
})

test('patience has a least and a most', () => {
  expect(learnt(Array(50).fill(1)).hedgeDelayMs).toBe(30)
  expect(learnt(Array(50).fill(9_000)).hedgeDelayMs).toBe(2_000)
  expect(new Latency().hedgeDelayMs).toBe(200)
})

test('one slow answer of many says little, and one after a long time all', () => {
  expect(learnt([...Array(50).fill(10), 1_000]).meanMs).toBeLessThan(150)
  expect(learnt([1_000, 10], 60_000).meanMs).toBeLessThan(20)
})

test.each(NETWORKS)('$slug has a public node with TLS', ({ slug }) => {
  expect(new URL(PUBLIC_NODES[slug]).protocol).toBe('https:')
})

test.each(NETWORKS.filter(({ family }) => family === 'evm'))('that of $slug is one of viem’s', ({ slug, chainId }) => {
  const known = Object.values(chains).filter((chain) => chain.id === Number(chainId))
  const urls = known.flatMap((chain) => Object.values(chain.rpcUrls).flatMap(({ http }) => http))
  expect(urls).toContain(PUBLIC_NODES[slug])
})
