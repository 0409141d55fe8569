import 'server-only'
import { LRUCache } from 'lru-cache'
import { perProcess } from '@/lib/kernel/per-process'
import type { RpcCall } from '@/lib/services/rpc-nodes/calls'
import type { NodeSet } from '@/lib/services/rpc-nodes/nodes'
import type { Answer } from '@/lib/services/rpc-nodes/reply'

const MAX_BYTES = 32 * 1024 * 1024
const MAX_RESULT_BYTES = 256 * 1024
const ENTRY_BYTES = 256
const MAX_PARAMS_CHARACTERS = 256

const OF_THE_CHAIN: ReadonlySet<string> = new Set(['eth_chainId', 'net_version', 'starknet_chainId'])
/** Results that are fixed once their block is final, and where the block's height stands in them. */
const OF_A_BLOCK: ReadonlyMap<string, RegExp> = new Map([
  ['eth_getBlockByHash', /"number"\s*:\s*"(0x[0-9a-f]{1,13})"/i],
  ['eth_getTransactionByHash', /"blockNumber"\s*:\s*"(0x[0-9a-f]{1,13})"/i],
  ['eth_getTransactionReceipt', /"blockNumber"\s*:\s*"(0x[0-9a-f]{1,13})"/i],
  ['eth_getBlockReceipts', /"blockNumber"\s*:\s*"(0x[0-9a-f]{1,13})"/i],
])
const BY_HASH = /^\[\s*"0x[0-9a-f]{64}"/i
const NO_PARAMS = /^\[\s*\]$/

const cache = () =>
  perProcess(
    'rpc-results',
    () =>
      new LRUCache<string, Buffer>({
        maxSize: MAX_BYTES,
        maxEntrySize: MAX_RESULT_BYTES + ENTRY_BYTES + 2 * MAX_PARAMS_CHARACTERS,
        sizeCalculation: (result, key) => result.length + 2 * key.length + ENTRY_BYTES,
      }),
  )

/** Names the cache entry of a call; undefined where results change. */
export function cacheKey({ network }: NodeSet, { method, params = '[]' }: RpcCall): string | undefined {
  if (OF_THE_CHAIN.has(method)) return NO_PARAMS.test(params) ? `${network.slug}\n${method}` : undefined
  if (!OF_A_BLOCK.has(method) || params.length > MAX_PARAMS_CHARACTERS || !BY_HASH.test(params)) return undefined
  return `${network.slug}\n${method}\n${params}`
}

export const knownResult = (key: string): Uint8Array | undefined => cache().get(key)

export function keepResult(set: NodeSet, key: string, { method }: RpcCall, { body, scanned }: Answer): void {
  const at = scanned.items[0]?.result
  if (scanned.isBatch || scanned.items[0]?.outcome !== 'result' || at === undefined) return
  if (at.end - at.start > MAX_RESULT_BYTES) return
  const result = Buffer.from(body.buffer, body.byteOffset + at.start, at.end - at.start)
  if (result.equals(NULL) || (!OF_THE_CHAIN.has(method) && !isFinal(set, method, result))) return
  // A copy in memory of its own: the reply's is larger, and so is what small buffers are cut from.
  const own = Buffer.allocUnsafeSlow(result.length)
  result.copy(own)
  cache().set(key, own)
}

const NULL = Buffer.from('null')

function isFinal({ isLocal, finalizedHeight }: NodeSet, method: string, result: Buffer): boolean {
  if (isLocal || finalizedHeight === undefined) return false
  const height = OF_A_BLOCK.get(method)?.exec(result.toString('latin1'))?.[1]
  return height !== undefined && Number(height) <= finalizedHeight
}
