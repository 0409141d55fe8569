import { expect, test } from 'vitest'
import { listMethods } from '@/components/rpc/list-methods'
import { METHOD_GROUPS, offerOf } from '@/lib/contract/rpc-methods'
import { NETWORKS, networkOf } from '@/lib/contract/rpc-networks'

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
