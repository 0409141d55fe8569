import 'server-only'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import type { NodeSet } from '@/lib/services/rpc-nodes/nodes'

/** A node lags when it is behind by blocks worth so long, and by so many at least. */
const LAG_SECONDS = 60
const LAG_BLOCKS = 10
/** Nobody is ahead of all others by blocks worth so long: such a height is made up, or of another counter. */
const MAX_LEAD_SECONDS = 365 * 86_400

/** Takes in the height of one node's newest block, and whether the node is behind what others had by then. */
export function learnHeight({ network, nodes }: NodeSet, node: RpcNode, height: number, now: number): void {
  node.height = height
  node.heightAt = now
  node.isLagging = isBehind(network, nodes, node)
}

/** Judges those that were asked together, when the last of them has answered. @param since when they were asked. */
export function judgeHeights({ network, nodes }: NodeSet, since: number): void {
  for (const node of nodes) if (node.heightAt >= since) node.isLagging = isBehind(network, nodes, node)
}

/** The newest block that a node of the chain has. What one alone says beyond all reason does not count. */
export function highest(nodes: readonly RpcNode[]): number | undefined {
  let most: RpcNode | undefined
  let next = -1
  for (const node of nodes) {
    if (node.height === undefined || node.chain.state !== 'right') continue
    if (most?.height === undefined || node.height > most.height) {
      next = most?.height ?? -1
      most = node
    } else if (node.height > next) next = node.height
  }
  if (most?.height === undefined || next < 0) return most?.height
  return (most.height - next) * most.network.blockSeconds > MAX_LEAD_SECONDS ? next : most.height
}

function isBehind({ blockSeconds }: RpcNetwork, nodes: readonly RpcNode[], node: RpcNode): boolean {
  const allowed = Math.max(LAG_BLOCKS, Math.ceil(LAG_SECONDS / blockSeconds))
  const lead = highest(nodes) ?? node.height ?? 0
  return node.height !== undefined && lead - node.height >= allowed
}
