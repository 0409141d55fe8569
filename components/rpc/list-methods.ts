import {
  BROADCASTS,
  METHOD_GROUPS,
  type MethodGroup,
  offerOf,
  REFUSED_METHODS,
  type Refusal,
  type Tier,
} from '@/lib/contract/rpc-methods'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'

export type MethodEntry = {
  method: string
  group: string
  isBroadcast: boolean
  // It belongs to other networks: it may be sent, and the node will most likely not know it.
  isForeign: boolean
} & ({ tier: Tier } | { refusal: Refusal; hint: string })

const EXTENSIONS: readonly { prefix: string; network: string; group: string }[] = [
  { prefix: 'zks_', network: 'zkSync', group: 'zkSync' },
  { prefix: 'linea_', network: 'Linea', group: 'Linea' },
  { prefix: 'bor_', network: 'Polygon', group: 'Polygon' },
  { prefix: 'arbtrace_', network: 'Arbitrum', group: 'Arbitrum traces' },
]

const REFUSED_GROUPS = { websocket: 'Subscriptions', filter: 'Filters', key: 'Keys and mining' } as const

const known = new Map<string, readonly MethodEntry[]>()

export function listMethods(network: RpcNetwork): readonly MethodEntry[] {
  const key = `${network.family} ${network.group}`
  const made = known.get(key) ?? entriesOf(network)
  known.set(key, made)
  return made
}

// Its own methods first, then its family's, those of other networks, and refused ones with the way around.
function entriesOf(network: RpcNetwork): MethodEntry[] {
  const offered = METHOD_GROUPS.filter(({ family }) => family === network.family).flatMap((group) =>
    group.methods.map((method) => offeredEntry(network, group, method)),
  )
  const own = offered.filter(({ method, isForeign }) => extensionOf(method) && !isForeign)
  const common = offered.filter(({ method }) => !extensionOf(method))
  const foreign = offered.filter(({ isForeign }) => isForeign)
  return [...own, ...common, ...foreign, ...refusedEntries(network)]
}

function offeredEntry(network: RpcNetwork, group: MethodGroup, method: string): MethodEntry {
  const extension = extensionOf(method)
  return {
    method,
    group: extension?.group ?? group.name,
    isBroadcast: BROADCASTS.has(method),
    isForeign: extension !== undefined && extension.network !== network.group,
    tier: group.tier,
  }
}

function refusedEntries(network: RpcNetwork): MethodEntry[] {
  if (network.family !== 'evm') return []
  return Object.entries(REFUSED_METHODS).flatMap(([refusal, methods]) =>
    methods.flatMap((method): MethodEntry[] => {
      const offer = offerOf(network.family, method)
      if (offer.isOffered) return []
      const group = REFUSED_GROUPS[refusal as keyof typeof REFUSED_GROUPS]
      return [{ method, group, isBroadcast: false, isForeign: false, refusal: offer.refusal, hint: offer.hint }]
    }),
  )
}

const extensionOf = (method: string) => EXTENSIONS.find(({ prefix }) => method.startsWith(prefix))
