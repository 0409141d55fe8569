import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { nodesVariable, type RpcSlug } from '@/lib/contract/rpc-slugs'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { sandbox } from '@/lib/services/chains/sandbox'
import { createNode, type RpcNode } from '@/lib/services/rpc-nodes/node'
import { PUBLIC_NODES } from '@/lib/services/rpc-nodes/public-nodes'

/** The nodes of one network, in order of preference, and what is known of its chain. */
export type NodeSet = {
  readonly network: RpcNetwork
  readonly nodes: readonly RpcNode[]
  /** A test chain on this machine. */
  readonly isLocal: boolean
  /** Of the newest block that can no longer go away; unknown before the first look. */
  finalizedHeight: number | undefined
  /** When a call was last made, and when the nodes were last looked at, in the time of `performance.now()`. */
  usedAt: number
  lookedAt: number
  looking: Promise<void> | undefined
  timer: NodeJS.Timeout | undefined
}

/** Where a network's nodes are, or why there are none. */
type Place = { urls: readonly string[]; isLocal: boolean } | { reason: string }

/** The chain that every installation in sandbox mode has running for payments. */
const PAYMENT_CHAIN: RpcSlug = 'base-mainnet'

/** @throws ApiError RPC_NETWORK_NOT_CONFIGURED, which says what to set. */
export function nodesOf(network: RpcNetwork): NodeSet {
  const found = findNodes(network)
  if ('reason' in found) throw new ApiError('RPC_NETWORK_NOT_CONFIGURED', found.reason)
  return found
}

/** The nodes of a network, or why there are none. */
export function findNodes(network: RpcNetwork): NodeSet | { reason: string } {
  const place = placeOf(network)
  if ('reason' in place) return place
  const sets = perProcess('rpc-nodes', () => new Map<RpcSlug, { key: string; set: NodeSet }>())
  const known = sets.get(network.slug)
  const key = place.urls.length === 1 ? place.urls[0]! : place.urls.join('\n')
  if (known?.key === key) return known.set
  // The sandbox has moved to another port, or the configuration is another one.
  clearTimeout(known?.set.timer)
  const set = createSet(network, place)
  sets.set(network.slug, { key, set })
  return set
}

/** Nodes that were used already; nothing is made. */
export function knownNodes(network: RpcNetwork): NodeSet | undefined {
  return perProcess('rpc-nodes', () => new Map<RpcSlug, { key: string; set: NodeSet }>()).get(network.slug)?.set
}

/** Where the test chain that stands in for a network is; nothing for one that is real, or has none. */
export function localChainUrl(network: RpcNetwork): string | undefined {
  const place = placeOf(network)
  return 'urls' in place && place.isLocal ? place.urls[0] : undefined
}

function createSet(network: RpcNetwork, { urls, isLocal }: { urls: readonly string[]; isLocal: boolean }): NodeSet {
  return {
    network,
    nodes: urls.map((url, index) => createNode(network, url, { number: index + 1, isLocal })),
    isLocal,
    finalizedHeight: undefined,
    usedAt: Number.NEGATIVE_INFINITY,
    lookedAt: Number.NEGATIVE_INFINITY,
    looking: undefined,
    timer: undefined,
  }
}

function placeOf(network: RpcNetwork): Place {
  const { slug, family } = network
  const named = config().rpcUrls.get(slug)
  if (named !== undefined && named.length > 0) return { urls: named, isLocal: false }
  if (!config().isSandbox) return { urls: [PUBLIC_NODES[slug]], isLocal: false }
  const variable = nodesVariable(slug)
  if (family === 'starknet') {
    return {
      reason: `The sandbox has no local Starknet chain. Name a node of ${slug} in ${variable} to use this network.`,
    }
  }
  const chains = sandbox()
  if (chains === undefined) {
    return { reason: `The local test chains do not run. Start them, or name a node of ${slug} in ${variable}.` }
  }
  return { urls: [slug === PAYMENT_CHAIN ? chains.evmUrl : chainUrl(chains.evmUrl, network)], isLocal: true }
}

/** The sandbox starts the chain of such an address when it is first asked. */
const chainUrl = (evmUrl: string, { chainId }: RpcNetwork): string =>
  `${evmUrl.replace(/\/+$/, '')}/chain/${Number(chainId)}`
