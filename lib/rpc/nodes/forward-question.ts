import 'server-only'
import { printCalls, type RpcRequest } from '@/lib/rpc/calls'
import { BROADCASTS, METHOD_GROUPS } from '@/lib/rpc/methods'
import type { Question } from '@/lib/rpc/nodes/node-question'

/** Methods that make a node work, or wait for others: a slow answer to them says nothing of the node. */
const HEAVY: ReadonlySet<string> = new Set([
  ...BROADCASTS,
  ...METHOD_GROUPS.flatMap(({ tier, methods }) => (tier > 1 ? methods : [])),
  'eth_getLogs',
  'eth_getBlockReceipts',
  'eth_simulateV1',
  'eth_createAccessList',
  'eth_getProof',
  'linea_getProof',
  'zks_getProof',
  'starknet_getEvents',
  'starknet_getStorageProof',
  'starknet_getBlockWithReceipts',
  'starknet_getStateUpdate',
  'starknet_simulateTransactions',
  'starknet_traceTransaction',
  'starknet_traceBlockTransactions',
])

/** A request as a node is asked it. */
export function questionOf(request: RpcRequest): Question {
  const { calls, isBatch } = request
  const withId = calls.filter(({ id }) => id !== undefined).length
  return {
    body: printCalls(request),
    isBatch,
    // A batch of calls without ids is sent with ids, so that it gets replies.
    fewest: withId === 0 ? calls.length : withId,
    most: calls.length,
    isHeavy: isBatch || HEAVY.has(calls[0]!.method),
  }
}
