import * as chains from 'viem/chains'
import { expect, test } from 'vitest'
import { NETWORKS } from '@/lib/contract/rpc-networks'
import { basicToken, hasSecret, Latency, PUBLIC_NODES, scrub, secretsOf } from '@/lib/services/rpc-nodes/nodes'

const ADDRESS = new URL('https://us%3Aer:p%40ss@eth.Node.example:8545/v3/0123456789abcdef?apikey=s%2Fcret&x=y')

test.each([
  ['host', 'dial tcp ETH.node.example:8545: refused'],
  ['name', 'lookup eth.node.example: no such host'],
  ['key in the path', 'bad key 0123456789ABCDEF'],
  ['password', 'wrong password p@ss'],
  ['password as it is written', 'for p%40ss'],
  ['query value', 'apikey s/cret is over'],
  ['query value as it is written', '?apikey=s%2Fcret'],
  ['authorization', `Basic ${basicToken(ADDRESS)}`],
])('the %s is taken out of a text', (_, text) => {
  const secrets = secretsOf(ADDRESS)
  expect(hasSecret(text, secrets)).toBe(true)
  const clean = scrub(text, secrets)
  expect(clean).toContain('(node)')
  expect(hasSecret(clean, secrets)).toBe(false)
})

test('words of everyday are left', () => {
  const secrets = secretsOf(new URL('http://result/rpc/v1?a=b'))
  const text = '{"jsonrpc":"2.0","id":1,"result":"v1 a=b rpc"}'
  expect(secrets).toEqual([])
  expect(scrub(text, secrets)).toBe(text)
})

test('user and password become a header, whatever their letters', () => {
  expect(basicToken(ADDRESS)).toBe(Buffer.from('us:er:p@ss').toString('base64'))
  expect(basicToken(new URL('http://a:%zz@b'))).toBe(Buffer.from('a:%zz').toString('base64'))
  expect(basicToken(new URL('http://b'))).toBeUndefined()
})

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
