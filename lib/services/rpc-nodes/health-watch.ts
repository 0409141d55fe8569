import 'server-only'
import { highest, judgeHeights, learnHeight } from '@/lib/services/rpc-nodes/health-heights'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import { askNode, quantityOf } from '@/lib/services/rpc-nodes/node-ask'
import { checkChain, isOnChain } from '@/lib/services/rpc-nodes/node-chain'
import { pickNode } from '@/lib/services/rpc-nodes/node-order'
import type { NodeSet } from '@/lib/services/rpc-nodes/nodes'

/** How often the nodes of a network are looked at while it is in use, and how long after a call it counts as that. */
const LOOK_EVERY_MS = 15_000
const IN_USE_MS = 60_000
/** Of one question to one node. */
const LOOK_TIMEOUT_MS = 3_000

const HEIGHT_METHODS = { evm: 'eth_blockNumber', starknet: 'starknet_blockNumber' } as const

/** A network is being called: its nodes are looked at now and then until that ends. Costs nothing while they are. */
export function touch(set: NodeSet, now: number): void {
  set.usedAt = now
  // A local chain is alone, and final by its own word.
  if (set.timer !== undefined || set.isLocal) return
  schedule(set)
  void look(set)
}

/** Looks at all nodes at once: chain, height, and what is final. Never rejects; whoever asks meanwhile waits for the same. */
export function look(set: NodeSet): Promise<void> {
  set.looking ??= lookAt(set).finally(() => {
    set.looking = undefined
    set.lookedAt = performance.now()
  })
  return set.looking
}

function schedule(set: NodeSet): void {
  set.timer = setTimeout(() => {
    set.timer = undefined
    if (performance.now() - set.usedAt > IN_USE_MS) return
    schedule(set)
    void look(set)
  }, LOOK_EVERY_MS).unref()
}

async function lookAt(set: NodeSet): Promise<void> {
  const startedAt = performance.now()
  await Promise.all(set.nodes.map((node) => lookAtNode(set, node)))
  judgeHeights(set, startedAt)
  void lookForFinal(set)
}

async function lookAtNode(set: NodeSet, node: RpcNode): Promise<void> {
  // Early enough that no call has to wait for the next check.
  const isDue = !isOnChain(node, performance.now() + 2 * LOOK_EVERY_MS)
  if (isDue) await checkChain(node)
  const now = performance.now()
  if (!isOnChain(node, now)) return
  const reply = await askNode(node, HEIGHT_METHODS[set.network.family], [], LOOK_TIMEOUT_MS)
  const height = 'result' in reply ? quantityOf(reply.result) : undefined
  if (height !== undefined) learnHeight(set, node, height, performance.now())
}

/** Up to which block nothing changes any more. A network without such a block has nothing cached. */
async function lookForFinal(set: NodeSet): Promise<void> {
  const now = performance.now()
  const node = pickNode(set.nodes, 0, now)
  if (set.network.family !== 'evm' || set.isLocal || node === undefined || !isOnChain(node, now)) return
  const reply = await askNode(node, 'eth_getBlockByNumber', ['finalized', false], LOOK_TIMEOUT_MS)
  const block = 'result' in reply ? reply.result : undefined
  const height = typeof block === 'object' && block !== null && 'number' in block ? quantityOf(block.number) : undefined
  const lead = highest(set.nodes)
  if (height === undefined || lead === undefined || height > lead) return
  // The latest word counts, also when it is less: a node that said too much must not be believed for ever.
  set.finalizedHeight = height
}
