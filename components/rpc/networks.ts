import { queryOptions } from '@tanstack/react-query'
import { fetchJson } from '@/lib/browser/api'
import { formatExactMoney, moneyOf } from '@/lib/browser/format/cost'
import { creditsOf, offerOf } from '@/lib/contract/rpc-methods'
import {
  NETWORKS,
  type NetworkState,
  networkOf,
  type RpcNetwork,
  type RpcOverview,
  type RpcSlug,
} from '@/lib/contract/rpc-networks'
import { plural } from '@/lib/i18n/t'

const REFRESH_EVERY_MS = 15_000

type Overview = { usdPerCredit: number; stateOf: ReadonlyMap<RpcSlug, NetworkState> }

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

type NetworkGroup = { name: string; networks: RpcNetwork[] }

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

export const fullName = ({ group, name }: RpcNetwork): string => `${group} ${name}`

/** Names the network of a stored answer, which a newer version of the service may have dropped. */
export function networkName(slug: RpcSlug): string {
  const network = networkOf(slug)
  return network ? fullName(network) : slug
}

/** Sums the credits of calls that all have a result; refused methods are free. */
export function creditsBefore(network: RpcNetwork, methods: readonly string[]): number {
  let credits = 0
  for (const method of methods) {
    const offer = offerOf(network.family, method)
    if (offer.isOffered) credits += creditsOf(network, offer.tier)
  }
  return credits
}

export const formatCallCost = (usd: number): string => formatExactMoney(moneyOf(usd))

export const formatCredits = (credits: number): string =>
  plural(credits, { one: '{count} credit', other: '{count} credits' })

export function formatPrice(credits: number, usdPerCredit: number | undefined): string {
  const text = formatCredits(credits)
  return usdPerCredit === undefined ? text : `${text} ≈ ${formatCallCost(credits * usdPerCredit)}`
}
