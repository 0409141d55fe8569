import 'server-only'
import { BROADCASTS, METHOD_GROUPS } from '@/lib/contract/rpc-methods'
import { printCalls, type RpcRequest, sentIds } from '@/lib/services/rpc-nodes/calls'
import type { Question } from '@/lib/services/rpc-nodes/node-question'

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
  const ids = sentIds(request)
  return { body: printCalls(request, ids), isBatch, ids, isHeavy: isBatch || HEAVY.has(calls[0]!.method) }
}
