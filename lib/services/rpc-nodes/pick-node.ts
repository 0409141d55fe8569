import 'server-only'
import { isClosed } from '@/lib/kernel/circuit-breaker'
import type { RpcNode } from '@/lib/services/rpc-nodes/nodes'

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
