import { expect, test } from 'vitest'
import { alternativeOf, counterpartOf, firstMethod, listMethods, searchMethods } from '@/components/rpc/method-list'
import { creditsBefore, formatCallCost, groupNetworks } from '@/components/rpc/networks'
import { METHOD_GROUPS, offerOf, REFUSED_METHODS } from '@/lib/contract/rpc-methods'
import { NETWORKS, networkOf } from '@/lib/contract/rpc-networks'

const BASE = networkOf('base-mainnet')!
const STARKNET = networkOf('starknet-mainnet')!

const found = (search: string) => searchMethods(listMethods(BASE), search).flatMap(({ entries }) => entries)

test('every refused method has an alternative that is offered', () => {
  for (const method of Object.values(REFUSED_METHODS).flat()) {
    const alternative = alternativeOf(method, 'evm')
    expect(alternative, method).toBeDefined()
    expect(offerOf('evm', alternative!).isOffered, method).toBe(true)
  }
})

test('a method of the other family leads to its twin, and back', () => {
  expect(alternativeOf('eth_call', 'starknet')).toBe('starknet_call')
  expect(alternativeOf('starknet_getEvents', 'evm')).toBe('eth_getLogs')
  for (const { family, methods } of METHOD_GROUPS) {
    const other = family === 'evm' ? 'starknet' : 'evm'
    for (const twin of methods.map((method) => counterpartOf(method, other))) {
      if (twin) expect(offerOf(other, twin).isOffered, twin).toBe(true)
    }
  }
})

test('what the screen starts with is offered everywhere', () => {
  for (const { family } of NETWORKS) expect(offerOf(family, firstMethod(family)).isOffered).toBe(true)
})

test('a search takes parts of names in any order', () => {
  expect(found('number block by').map(({ method }) => method)).toContain('eth_getBlockByNumber')
  expect(found('LOGS').map(({ method }) => method)).toContain('eth_getLogs')
  expect(found('nothing like it')).toEqual([])
})

test('a search finds descriptions, too, below the names that have all words', () => {
  const told: Record<string, string> = {
    eth_getLogs: 'Events by address. Ereignisse',
    eth_gasPrice: 'How logs are priced',
  }
  const sections = searchMethods(listMethods(BASE), 'logs', (method) => told[method] ?? '')
  const last = sections.at(-1)!
  expect(last).toMatchObject({ group: 'In descriptions', entries: [{ method: 'eth_gasPrice' }] })
  const before = sections.slice(0, -1).flatMap(({ entries }) => entries.map(({ method }) => method))
  expect(before).toContain('eth_getLogs')
  expect(before).not.toContain('eth_gasPrice')
  // A word of the name and one of the description.
  const mixed = searchMethods(listMethods(BASE), 'getlogs ereignisse', (method) => told[method] ?? '')
  expect(mixed.flatMap(({ entries }) => entries.map(({ method }) => method))).toEqual(['eth_getLogs'])
})

test('a name that no list has can be typed, a listed one is not offered twice', () => {
  expect(found('eth_fooBar')).toEqual([expect.objectContaining({ method: 'eth_fooBar', refusal: 'unmapped' })])
  expect(found('eth_call').filter(({ method }) => method === 'eth_call')).toHaveLength(1)
  expect(found('<b>_x')).toEqual([])
})

test('networks are found by name, slug, coin and chain id, within a filter', () => {
  const slugs = (...query: Parameters<typeof groupNetworks>) =>
    groupNetworks(...query).flatMap(({ networks }) => networks.map(({ slug }) => slug))
  expect(slugs('all', '')).toHaveLength(21)
  expect(groupNetworks('all', '')).toHaveLength(10)
  expect(slugs('mainnet', '')).toHaveLength(10)
  expect(slugs('testnet', 'base')).toEqual(['base-sepolia'])
  expect(slugs('all', '8453')).toEqual(['base-mainnet'])
  expect(slugs('all', '0x89')).toEqual(['polygon-mainnet'])
  expect(slugs('all', 'pol main')).toEqual(['polygon-mainnet'])
})

test('the price before: tier by network, in dollars', () => {
  expect(creditsBefore(BASE, ['eth_call'])).toBe(20)
  expect(creditsBefore(networkOf('zksync-mainnet')!, ['eth_call', 'trace_block'])).toBe(90)
  expect(creditsBefore(BASE, ['txpool_content'])).toBe(80)
  expect(creditsBefore(STARKNET, ['eth_call'])).toBe(0)
  expect(formatCallCost(20 * 7e-7)).toBe('$0.000014')
  expect(formatCallCost(80 * 7e-7)).toBe('$0.000056')
})

const entriesOf = (slug: string) => listMethods(networkOf(slug)!)

test.each(NETWORKS.map((network) => [network.slug, network] as const))(
  'lists every method of %s once',
  (_, network) => {
    const entries = listMethods(network)
    const names = entries.map(({ method }) => method)
    expect(new Set(names).size).toBe(names.length)
    const offered = METHOD_GROUPS.filter(({ family }) => family === network.family).flatMap(({ methods }) => methods)
    expect(
      entries
        .filter((entry) => 'tier' in entry)
        .map(({ method }) => method)
        .toSorted(),
    ).toEqual([...offered].toSorted())
    for (const entry of entries) {
      const offer = offerOf(network.family, entry.method)
      expect('tier' in entry ? entry.tier : entry.hint).toBe(offer.isOffered ? offer.tier : offer.hint)
    }
  },
)

test.each([
  ['zksync-mainnet', 'zks_'],
  ['linea-sepolia', 'linea_'],
  ['polygon-amoy', 'bor_'],
  ['arbitrum-mainnet', 'arbtrace_'],
])('puts what only %s has at the top', (slug, prefix) => {
  expect(entriesOf(slug)[0]).toMatchObject({ method: expect.stringMatching(`^${prefix}`), isForeign: false })
})

test('puts what other networks have behind what all have', () => {
  const entries = entriesOf('base-mainnet')
  expect(entries[0]).toMatchObject({ method: 'eth_blockNumber', isForeign: false, tier: 1 })
  const foreign = entries.map(({ isForeign }) => isForeign)
  const from = foreign.indexOf(true)
  expect(entries.slice(0, from).every((entry) => 'tier' in entry)).toBe(true)
  expect(entries.filter(({ method }) => method.startsWith('zks_')).every(({ isForeign }) => isForeign)).toBe(true)
})

test('ends with what is not offered, with the way around', () => {
  const last = entriesOf('ethereum-mainnet').filter((entry) => 'refusal' in entry)
  expect(last.map(({ method }) => method)).toContain('eth_newFilter')
  expect(last.every((entry) => 'hint' in entry && entry.hint.length > 10)).toBe(true)
  expect(entriesOf('starknet-mainnet').some((entry) => 'refusal' in entry)).toBe(false)
})

test('marks what changes a chain', () => {
  expect(
    entriesOf('base-sepolia')
      .filter(({ isBroadcast }) => isBroadcast)
      .map(({ method }) => method),
  ).toEqual(['eth_sendRawTransaction', 'eth_sendUserOperation'])
})
