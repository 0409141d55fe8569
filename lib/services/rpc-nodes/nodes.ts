import 'server-only'
import { Pool } from 'undici'
import { ApiError } from '@/lib/contract/errors'
import { nodesVariable, type RpcNetwork, type RpcSlug } from '@/lib/contract/rpc-networks'
import { type Circuit, isClosed, newCircuit } from '@/lib/kernel/circuit-breaker'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { sandbox } from '@/lib/services/chains/sandbox'
import { basicToken, secretsOf } from '@/lib/services/rpc-nodes/node-secrets'

export type NodeSet = {
  readonly network: RpcNetwork
  readonly nodes: readonly RpcNode[]
  readonly isLocal: boolean
  finalizedHeight: number | undefined
  usedAt: number
  lookedAt: number
  looking: Promise<void> | undefined
  timer: NodeJS.Timeout | undefined
}

type Place = { urls: readonly string[]; isLocal: boolean } | { reason: string }

/** The chain that every installation in sandbox mode has running for payments. */
const PAYMENT_CHAIN: RpcSlug = 'base-mainnet'

/** @throws ApiError RPC_NETWORK_NOT_CONFIGURED, which says what to set. */
export function nodesOf(network: RpcNetwork): NodeSet {
  const found = findNodes(network)
  if ('reason' in found) throw new ApiError('RPC_NETWORK_NOT_CONFIGURED', found.reason)
  return found
}

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

export function knownNodes(network: RpcNetwork): NodeSet | undefined {
  return perProcess('rpc-nodes', () => new Map<RpcSlug, { key: string; set: NodeSet }>()).get(network.slug)?.set
}

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

const chainUrl = (evmUrl: string, { chainId }: RpcNetwork): string =>
  `${evmUrl.replace(/\/+$/, '')}/chain/${Number(chainId)}`

const MAX_CONNECTIONS = 64
const CONNECT_TIMEOUT_MS = 3_000
/** Below the five seconds after which the most common servers close a quiet connection. */
const KEEP_ALIVE_MS = 4_000

type ChainCheck = {
  state: 'unchecked' | 'right' | 'wrong'
  /** In the time of `performance.now()`, as all times here. */
  checkedAt: number
  running?: Promise<boolean>
}

export type RpcNode = {
  readonly network: RpcNetwork
  readonly number: number
  readonly isLocal: boolean
  readonly pool: Pool
  readonly path: string
  readonly headers: string[]
  readonly secrets: readonly string[]
  readonly circuit: Circuit
  readonly chain: ChainCheck
  readonly light: Latency
  readonly heavy: Latency
  inFlight: number
  height: number | undefined
  heightAt: number
  isLagging: boolean
  loggedAt: number
}

function createNode(
  network: RpcNetwork,
  address: string,
  { number, isLocal }: { number: number; isLocal: boolean },
): RpcNode {
  const url = new URL(address)
  const token = basicToken(url)
  return {
    network,
    number,
    isLocal,
    pool: poolOf(url.origin),
    path: `${url.pathname}${url.search}`,
    headers: [
      ...['content-type', 'application/json', 'accept', 'application/json'],
      // Bytes go on as they come, so there is nothing to gain from packing them.
      ...['accept-encoding', 'identity', 'user-agent', 'node'],
      ...(token === undefined ? [] : ['authorization', `Basic ${token}`]),
    ],
    secrets: secretsOf(url),
    circuit: newCircuit(),
    chain: { state: 'unchecked', checkedAt: Number.NEGATIVE_INFINITY },
    light: new Latency(),
    heavy: new Latency(),
    inFlight: 0,
    height: undefined,
    heightAt: 0,
    isLagging: false,
    loggedAt: Number.NEGATIVE_INFINITY,
  }
}

function poolOf(origin: string): Pool {
  const pools = perProcess('rpc-pools', () => new Map<string, Pool>())
  let pool = pools.get(origin)
  if (pool === undefined) {
    pool = new Pool(origin, {
      allowH2: false,
      connections: MAX_CONNECTIONS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    })
    pools.set(origin, pool)
  }
  return pool
}

const WEIGHT = 1 / 8
const MEMORY_MS = 10_000
const MIN_HEDGE_DELAY_MS = 30
const MAX_HEDGE_DELAY_MS = 2_000
const FIRST_HEDGE_DELAY_MS = 200
const DEVIATIONS = 4

/** Time until a node begins to answer: mean and mean deviation, in milliseconds. */
export class Latency {
  #meanMs: number | undefined
  #deviationMs = 0
  #learntAt = 0

  get meanMs(): number | undefined {
    return this.#meanMs
  }

  learn(ms: number, now: number): void {
    if (this.#meanMs === undefined) {
      this.#meanMs = ms
      this.#deviationMs = ms / 2
    } else {
      const weight = Math.max(WEIGHT, 1 - Math.exp((this.#learntAt - now) / MEMORY_MS))
      this.#deviationMs += weight * (Math.abs(ms - this.#meanMs) - this.#deviationMs)
      this.#meanMs += weight * (ms - this.#meanMs)
    }
    this.#learntAt = now
  }

  /** Mean plus four deviations, the rule by which TCP retransmits (RFC 6298). */
  get hedgeDelayMs(): number {
    if (this.#meanMs === undefined) return FIRST_HEDGE_DELAY_MS
    const unusualMs = this.#meanMs + DEVIATIONS * this.#deviationMs
    return Math.min(Math.max(unusualMs, MIN_HEDGE_DELAY_MS), MAX_HEDGE_DELAY_MS)
  }
}

const SLOW_FACTOR = 3
const SLOW_MARGIN_MS = 30
const MAX_IN_FLIGHT = 1_024

/** Penalties of a node, the worst highest. Nodes with equal penalties keep the operator's order. */
const SLOW = 1
const UNCHECKED = 2
const LAGGING = 4
const RESTING = 8

/**
 * Picks the node to ask next: in the operator's order, with slow, lagging, failing and unchecked nodes last. A node on
 * a wrong chain is never picked.
 *
 * @param tried a bit for each node that is not to be asked again, by its place.
 */
export function pickNode(nodes: readonly RpcNode[], tried: number, now: number): RpcNode | undefined {
  const fastestMs = fastest(nodes, now)
  let best: RpcNode | undefined
  let bestRank = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    if ((tried & bitOf(node)) !== 0 || isOffChain(node, now) || node.inFlight >= MAX_IN_FLIGHT) continue
    const rank = rankOf(node, fastestMs, now)
    if (rank >= bestRank) continue
    best = node
    bestRank = rank
  }
  return best
}

export const bitOf = ({ number }: RpcNode): number => 1 << (number - 1)

function rankOf(node: RpcNode, fastestMs: number, now: number): number {
  const ms = node.light.meanMs ?? 0
  let rank = ms >= fastestMs * SLOW_FACTOR && ms >= fastestMs + SLOW_MARGIN_MS ? SLOW : 0
  if (!isOnChain(node, now)) rank += UNCHECKED
  if (node.isLagging) rank += LAGGING
  if (!isClosed(node.circuit, now)) rank += RESTING
  return rank
}

function fastest(nodes: readonly RpcNode[], now: number): number {
  let fastestMs = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    const { meanMs } = node.light
    if (meanMs === undefined || meanMs >= fastestMs || node.isLagging) continue
    if (node.chain.state !== 'wrong' && isClosed(node.circuit, now)) fastestMs = meanMs
  }
  return fastestMs
}

/** A node may be moved to another chain behind the same address. */
const CHECK_HOLDS_MS = 5 * 60_000
const WRONG_HOLDS_MS = 15_000

export const isOnChain = ({ chain }: RpcNode, now: number): boolean =>
  chain.state === 'right' && now - chain.checkedAt < CHECK_HOLDS_MS

const isOffChain = ({ chain }: RpcNode, now: number): boolean =>
  chain.state === 'wrong' && now - chain.checkedAt < WRONG_HOLDS_MS

/**
 * Public nodes for networks whose operator named none; they promise nothing. Those of EVM chains are viem's, written
 * out because viem's data covers hundreds of chains.
 */
export const PUBLIC_NODES: Readonly<Record<RpcSlug, string>> = {
  'arbitrum-mainnet': 'https://arb1.arbitrum.io/rpc',
  'arbitrum-sepolia': 'https://sepolia-rollup.arbitrum.io/rpc',
  'avalanche-fuji': 'https://api.avax-test.network/ext/bc/C/rpc',
  'avalanche-mainnet': 'https://api.avax.network/ext/bc/C/rpc',
  'base-mainnet': 'https://mainnet.base.org',
  'base-sepolia': 'https://sepolia.base.org',
  'bsc-mainnet': 'https://56.rpc.thirdweb.com',
  'bsc-testnet': 'https://data-seed-prebsc-1-s1.bnbchain.org:8545',
  'ethereum-holesky': 'https://ethereum-holesky-rpc.publicnode.com',
  'ethereum-mainnet': 'https://ethereum.reth.rs/rpc',
  'ethereum-sepolia': 'https://11155111.rpc.thirdweb.com',
  'linea-mainnet': 'https://rpc.linea.build',
  'linea-sepolia': 'https://rpc.sepolia.linea.build',
  'optimism-mainnet': 'https://mainnet.optimism.io',
  'optimism-sepolia': 'https://sepolia.optimism.io',
  'polygon-amoy': 'https://polygon-amoy.drpc.org',
  'polygon-mainnet': 'https://polygon.drpc.org',
  'starknet-mainnet': 'https://api.zan.top/public/starknet-mainnet/rpc/',
  'starknet-sepolia': 'https://api.zan.top/public/starknet-sepolia/rpc/',
  'zksync-mainnet': 'https://mainnet.era.zksync.io',
  'zksync-sepolia': 'https://sepolia.era.zksync.dev',
}
