import 'server-only'
import { BROADCASTS, METHOD_GROUPS } from '@/lib/contract/rpc-methods'
import { printCalls, type RpcRequest, sentIds } from '@/lib/services/rpc-nodes/parse-calls'
import type { ScannedReply } from '@/lib/services/rpc-nodes/reply'

/** Reply of a network's node. `retries`: nodes that were asked beside the first. */
export type NodeReply =
  | { kind: 'answered'; body: Uint8Array<ArrayBuffer>; scanned: ScannedReply; retries: number }
  | { kind: 'refused'; status: number; body: string; retries: number }

export type ForwardOptions = { signal: AbortSignal; requestId: string; accountId: string }

/** Methods whose slow answers say nothing about the node. */
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

export function questionOf(request: RpcRequest): Question {
  const { calls, isBatch } = request
  const ids = sentIds(request)
  return { body: printCalls(request, ids), isBatch, ids, isHeavy: isBatch || HEAVY.has(calls[0]!.method) }
}

/** For everything that a request needs of its nodes. Source: API contract, crypto-rpc.md "Limits". */
export const DEADLINE_MS = 30_000

export type Question = {
  body: Buffer
  isBatch: boolean
  ids: readonly (string | undefined)[]
  isHeavy: boolean
}
