import 'server-only'
import type { RpcNode } from '@/lib/services/rpc-nodes/node'
import { askNode } from '@/lib/services/rpc-nodes/node-ask'

/** How long a check holds. A node may be moved to another chain behind the same address. */
const CHECK_HOLDS_MS = 5 * 60_000
/** A node that was wrong is looked at again this often, while it is wanted. */
const WRONG_HOLDS_MS = 15_000
const CHECK_TIMEOUT_MS = 3_000
/** A local chain is started by its first call. */
const LOCAL_CHECK_TIMEOUT_MS = 20_000

const METHODS = { evm: 'eth_chainId', starknet: 'starknet_chainId' } as const

/** Known to be on its chain: it may be used at once. */
export const isOnChain = ({ chain }: RpcNode, now: number): boolean =>
  chain.state === 'right' && now - chain.checkedAt < CHECK_HOLDS_MS

/** Known to be on another chain: not to be used. */
export const isOffChain = ({ chain }: RpcNode, now: number): boolean =>
  chain.state === 'wrong' && now - chain.checkedAt < WRONG_HOLDS_MS

/** Asks the node which chain it is on. Whoever asks meanwhile waits for the same answer. Never rejects. */
export function checkChain(node: RpcNode): Promise<boolean> {
  node.chain.running ??= check(node).finally(() => {
    node.chain.running = undefined
  })
  return node.chain.running
}

async function check(node: RpcNode): Promise<boolean> {
  const { network, isLocal } = node
  const timeoutMs = isLocal ? LOCAL_CHECK_TIMEOUT_MS : CHECK_TIMEOUT_MS
  const reply = await askNode(node, METHODS[network.family], [], timeoutMs)
  // Without an answer nothing is known anew: what was known ends by its age.
  if ('failure' in reply) return false
  return learnChain(node, reply.result)
}

/** Takes in what a node says that its chain is. */
export function learnChain({ network, chain }: RpcNode, chainId: unknown): boolean {
  const isRight = typeof chainId === 'string' && sameNumber(chainId, network.chainId)
  chain.state = isRight ? 'right' : 'wrong'
  chain.checkedAt = performance.now()
  return isRight
}

/** Nodes differ in leading zeros and case. */
function sameNumber(one: string, other: string): boolean {
  if (!/^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(one)) return false
  return BigInt(one) === BigInt(other)
}
