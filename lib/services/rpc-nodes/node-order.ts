import 'server-only'
import { isClosed } from '@/lib/kernel/circuit-breaker'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import { isOffChain, isOnChain } from '@/lib/services/rpc-nodes/node-chain'

/** A node is much slower than another from so many times its time on, if that is so much longer. */
const SLOW_FACTOR = 3
const SLOW_MARGIN_MS = 30
/** Requests under way at one node; more are not sent to it. */
const MAX_IN_FLIGHT = 1_024

/** What sets a node back, the worst highest. Of several that are set back alike the operator's order counts. */
const SLOW = 1
const UNCHECKED = 2
const LAGGING = 4
const RESTING = 8

/**
 * The node to ask next: the operator's order, but for those that are slow, behind, failing, or have yet to say which chain
 * they are on; they come last. A node on a wrong chain is none.
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

/** The usual time of the fastest node that may be asked. */
function fastest(nodes: readonly RpcNode[], now: number): number {
  let fastestMs = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    const { meanMs } = node.light
    if (meanMs === undefined || meanMs >= fastestMs || node.isLagging) continue
    if (node.chain.state !== 'wrong' && isClosed(node.circuit, now)) fastestMs = meanMs
  }
  return fastestMs
}
