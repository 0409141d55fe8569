import 'server-only'
import { z } from 'zod'
import type { Family } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { nodesOf } from '@/lib/services/chains/rails'
import { memoryWindows, windowEnd, windowIsFull } from '@/lib/services/limits/limits'

export const MAX_RELAY_BYTES = 64 * 1024
const MAX_BATCH = 20
const MAX_PER_MINUTE = 120
const MINUTE_MS = 60_000
const NODE_TIMEOUT_MS = 8_000
const MAX_REPLY_BYTES = 2 * 1024 * 1024
const MAX_BATCH_REPLY_BYTES = 4 * 1024 * 1024
const METHOD_NOT_FOUND = -32601

const Call = z.object({
  jsonrpc: z.literal('2.0').default('2.0'),
  id: z.union([z.string().max(64), z.number(), z.null()]).default(null),
  method: z.string().max(64),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
})
type Call = z.infer<typeof Call>

export const RelayRequest = z.union([Call, z.array(Call).min(1).max(MAX_BATCH)])
export type RelayRequest = z.infer<typeof RelayRequest>

const READS: Record<Family, ReadonlySet<string>> = {
  evm: new Set([
    'eth_blockNumber',
    'eth_call',
    'eth_chainId',
    'eth_estimateGas',
    'eth_getBalance',
    'eth_getBlockByNumber',
    'eth_getCode',
    'eth_getTransactionByHash',
    'eth_getTransactionReceipt',
  ]),
  solana: new Set([
    'getAccountInfo',
    'getBalance',
    'getBlockHeight',
    'getEpochInfo',
    'getFeeForMessage',
    'getGenesisHash',
    'getLatestBlockhash',
    'getMinimumBalanceForRentExemption',
    'getMultipleAccounts',
    'getSignatureStatuses',
    'getSlot',
    'getTokenAccountBalance',
    'getTokenAccountsByOwner',
    'isBlockhashValid',
    'simulateTransaction',
  ]),
}
const TEST_WALLET = new Set([
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getTransactionCount',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
])

/**
 * Relays calls to a node of the chain and its replies back, untouched. A method that is not listed is answered as a
 * node answers one that it does not have.
 * @returns the reply as JSON: one object, or a list in the order of the calls.
 * @throws ApiError SERVICE_UNAVAILABLE when no node is configured or answers.
 */
export async function relay(family: Family, request: RelayRequest, signal: AbortSignal): Promise<string> {
  const nodes = nodesOf(family)
  if (nodes.length === 0) {
    throw new ApiError('SERVICE_UNAVAILABLE', 'There is no node for this chain.', { retryAfterSeconds: 10 })
  }
  if (!Array.isArray(request)) return answer(family, nodes, request, signal)
  const replies = await Promise.all(request.map((call) => answer(family, nodes, call, signal)))
  if (replies.reduce((bytes, reply) => bytes + Buffer.byteLength(reply), 0) > MAX_BATCH_REPLY_BYTES) {
    throw new ApiError('UPSTREAM_FAILED', 'The replies of this batch are too large together. Ask for less at a time.')
  }
  return `[${replies.join(',')}]`
}

export function countCalls(clientAddress: string, request: RelayRequest, nowMs = Date.now()): void {
  const calls = perProcess('relayed-calls', () => memoryWindows())
  const endsAtMs = windowEnd(nowMs, MINUTE_MS)
  const count = Array.isArray(request) ? request.length : 1
  if (calls.spent(clientAddress, MAX_PER_MINUTE, endsAtMs) + count > MAX_PER_MINUTE) {
    throw windowIsFull('Too many questions to the chain in this minute.', endsAtMs, nowMs)
  }
  calls.spend(clientAddress, count, MAX_PER_MINUTE, endsAtMs)
}

async function answer(family: Family, nodes: string[], call: Call, signal: AbortSignal): Promise<string> {
  if (!isAllowed(family, call.method)) {
    const error = { code: METHOD_NOT_FOUND, message: `${call.method} is not relayed` }
    return JSON.stringify({ jsonrpc: '2.0', id: call.id, error })
  }
  for (const [index, url] of nodes.entries()) {
    try {
      return await askNode(url, call, signal)
    } catch (error) {
      if (signal.aborted) throw error
      // Addresses of nodes have their owner's key in them, so they are not written down.
      log().warn({ family, node: index + 1, reason: reasonOf(error) }, 'a node did not respond')
    }
  }
  throw new ApiError('UPSTREAM_FAILED', 'The chain’s node does not answer. Try again in a moment.', {
    retryAfterSeconds: 5,
  })
}

const isAllowed = (family: Family, method: string): boolean =>
  READS[family].has(method) || (family === 'evm' && config().isSandbox && TEST_WALLET.has(method))

async function askNode(url: string, call: Call, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(call),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(NODE_TIMEOUT_MS)]),
  })
  const text = await readBounded(response)
  const reply: unknown = JSON.parse(text)
  const isReply = typeof reply === 'object' && reply !== null && ('result' in reply || 'error' in reply)
  if (!isReply || isOurs(response.status)) throw new Error(`status ${response.status}`)
  return text.trim()
}

/** The node refuses us or fails: the next may not, and its reply may hold our key. Some say 400 with an answer. */
const isOurs = (status: number): boolean => status >= 500 || [401, 402, 403, 407, 408, 429].includes(status)

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_REPLY_BYTES) throw new RangeError('the reply is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name
}
