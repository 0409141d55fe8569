import 'server-only'
import type { NetworkState } from '@/lib/contract/rpc.schema'
import { NETWORKS, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { perProcess } from '@/lib/kernel/per-process'
import { highest } from '@/lib/services/rpc-nodes/health-heights'
import { look } from '@/lib/services/rpc-nodes/health-watch'
import { isOnChain } from '@/lib/services/rpc-nodes/node-chain'
import { pickNode } from '@/lib/services/rpc-nodes/node-order'
import { findNodes, knownNodes, type NodeSet } from '@/lib/services/rpc-nodes/nodes'

/** How long what was seen is told to the next who asks. */
const KEEP_MS = 10_000
/** The best node of a network that takes longer is slow. */
const SLOW_MS = 1_000

type Overview = { states?: Promise<NetworkState[]>; until: number }

/** The state of every network. Its nodes are asked at most every ten seconds, all at once, whoever wants to know. */
export function networkStates(): Promise<NetworkState[]> {
  const overview = perProcess('rpc-overview', (): Overview => ({ until: 0 }))
  const now = performance.now()
  if (overview.states === undefined || now >= overview.until) {
    // Looks are bounded in time, so that nobody waits for what never ends.
    overview.until = Number.POSITIVE_INFINITY
    overview.states = Promise.all(NETWORKS.map(stateOf)).finally(() => {
      overview.until = performance.now() + KEEP_MS
    })
  }
  return overview.states
}

/** The newest block that was seen of a network; nothing before it was used. */
export function knownHeight(network: RpcNetwork): number | null {
  const set = knownNodes(network)
  return (set && highest(set.nodes)) ?? null
}

async function stateOf(network: RpcNetwork): Promise<NetworkState> {
  const found = findNodes(network)
  // What to set is for the operator; the state says it all to whoever looks at the page.
  if ('reason' in found) return told(network, { state: 'unconfigured' })
  // The chain is started by its first call, and to be looked at is no call.
  if (found.isLocal && !isStarted(found)) return told(network, { state: 'up', isLocal: true })
  if (performance.now() - found.lookedAt >= KEEP_MS) await look(found)
  return stateOfNodes(found)
}

/** The payment chain runs whenever the sandbox does; the others since they were first called. */
const isStarted = ({ network, usedAt }: NodeSet): boolean =>
  network.slug === 'base-mainnet' || usedAt > Number.NEGATIVE_INFINITY

function stateOfNodes({ network, nodes, isLocal }: NodeSet): NetworkState {
  const now = performance.now()
  const best = pickNode(nodes, 0, now)
  const checkedAt = new Date().toISOString()
  if (best === undefined || !isOnChain(best, now) || best.circuit.failures > 0) {
    const isWrong = nodes.every(({ chain }) => chain.state === 'wrong')
    const reason = isWrong ? 'Its nodes are on another chain.' : 'None of its nodes answers.'
    return told(network, { state: 'down', isLocal, reason, checkedAt })
  }
  const height = highest(nodes) ?? null
  // Local chains share this machine and are looked at all at once: their time says nothing of a network.
  if (isLocal) return told(network, { state: 'up', isLocal, height, checkedAt })
  const latencyMs = Math.round(best.light.meanMs ?? 0)
  const isSlow = latencyMs > SLOW_MS
  return told(network, {
    state: isSlow ? 'slow' : 'up',
    height,
    latencyMs,
    checkedAt,
    ...(isSlow && { reason: 'Its nodes take long to answer.' }),
  })
}

const told = ({ slug }: RpcNetwork, known: Partial<NetworkState> & Pick<NetworkState, 'state'>): NetworkState => ({
  slug,
  isLocal: false,
  height: null,
  latencyMs: null,
  checkedAt: null,
  reason: null,
  ...known,
})
