import { queryOptions } from '@tanstack/react-query'
import { fetchJson } from '@/lib/browser/api'
import type { NetworkState, RpcOverview, RpcSlug } from '@/lib/contract/rpc'
import { NETWORKS, type RpcNetwork } from '@/lib/contract/rpc'

const REFRESH_EVERY_MS = 15_000

export type Overview = { usdPerCredit: number; stateOf: ReadonlyMap<RpcSlug, NetworkState> }

export const overviewQuery = () =>
  queryOptions({
    queryKey: ['rpc', 'networks'],
    queryFn: async ({ signal }): Promise<Overview> => {
      const { usdPerCredit, networks } = await fetchJson<RpcOverview>('/api/rpc/networks', { signal })
      return { usdPerCredit, stateOf: new Map(networks.map((state) => [state.slug, state])) }
    },
    refetchInterval: REFRESH_EVERY_MS,
    staleTime: REFRESH_EVERY_MS / 2,
  })

/** Tells whether test chains stand in for all networks that have a node, for some, or for none. */
export function localNetworks(overview: Overview | undefined): 'all' | 'some' | 'none' {
  const connected = [...(overview?.stateOf.values() ?? [])].filter(({ state }) => state !== 'unconfigured')
  if (!connected.some(({ isLocal }) => isLocal)) return 'none'
  return connected.every(({ isLocal }) => isLocal) ? 'all' : 'some'
}

export const SHOWN_NETWORKS: readonly RpcNetwork[] = [...Map.groupBy(NETWORKS, ({ group }) => group).values()].flatMap(
  (networks) => networks.toSorted((one, other) => Number(one.isTestnet) - Number(other.isTestnet)),
)

export type NetworkFilter = 'all' | 'mainnet' | 'testnet'

export type NetworkGroup = { name: string; networks: RpcNetwork[] }

export function groupNetworks(filter: NetworkFilter, search: string): NetworkGroup[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = SHOWN_NETWORKS.filter((network) => {
    if (filter !== 'all' && network.isTestnet !== (filter === 'testnet')) return false
    const text = `${network.group} ${network.name} ${network.slug} ${network.currency} ${network.family}`.toLowerCase()
    const chainIds = [network.chainId.toLowerCase(), String(BigInt(network.chainId))]
    return terms.every((word) => text.includes(word) || chainIds.includes(word))
  })
  return [...Map.groupBy(found, ({ group }) => group)].map(([name, networks]) => ({ name, networks }))
}

/** @example fullName(networkOf('base-sepolia')!) // "Base Sepolia" */
export const fullName = ({ group, name }: RpcNetwork): string => `${group} ${name}`
