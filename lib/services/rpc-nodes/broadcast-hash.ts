import 'server-only'
import { type Hex, keccak256 } from 'viem'
import type { RpcCall } from '@/lib/services/rpc-nodes/calls'

/** A transaction with blobs is sent with them, and known without. Source: EIP-4844. */
const BLOB_TYPE = '0x03'
/** zkSync's own kind is hashed by a rule of its own. */
const ZKSYNC_TYPE = '0x71'
/** First bytes of lists: of a short one plus its length, of a long one plus the length of its length. Source: RLP. */
const RLP_LIST = 0xc0
const RLP_LONG_LIST = 0xf7
const HEX_BYTES = /^0x(?:[0-9a-f]{2})+$/i
const HASH = /^0x[0-9a-f]{1,64}$/i

/** The hash by which a chain will know the transaction of an `eth_sendRawTransaction`; nothing where that cannot be said. */
export function hashOf({ method, params }: RpcCall): Hex | undefined {
  if (method !== 'eth_sendRawTransaction' || params === undefined) return undefined
  const raw = firstOf(params)
  if (typeof raw !== 'string' || !HEX_BYTES.test(raw)) return undefined
  const bytes = raw.toLowerCase() as Hex
  if (bytes.startsWith(ZKSYNC_TYPE)) return undefined
  return keccak256(bytes.startsWith(BLOB_TYPE) ? withoutBlobs(bytes) : bytes)
}

/** What a node says it took a transaction or user operation in as: a hash, or on Starknet an object with one. */
export function hashOfResult(json: string): string | undefined {
  const value = parsed(json)
  const hash =
    typeof value === 'object' && value !== null && 'transaction_hash' in value ? value.transaction_hash : value
  return typeof hash === 'string' && HASH.test(hash) ? hash : undefined
}

const firstOf = (params: string): unknown => {
  const list = parsed(params)
  return Array.isArray(list) ? list[0] : undefined
}

/**
 * The first part of the network form is the transaction itself. It is cut out, not taken apart: a hostile one has half a
 * million parts. What is not what it says it is stays as it is: the node will refuse it.
 */
function withoutBlobs(bytes: Hex): Hex {
  const form = listAt(bytes, BLOB_TYPE.length)
  const transaction = form && listAt(bytes, form.start)
  if (!transaction || form.end !== bytes.length || transaction.end > form.end) return bytes
  return `${BLOB_TYPE}${bytes.slice(form.start, transaction.end)}`
}

/** Where what is in the RLP list at this place of a hex text starts and ends; nothing where no whole list is. */
function listAt(hex: string, at: number): { start: number; end: number } | undefined {
  const head = Number.parseInt(hex.slice(at, at + 2), 16)
  if (!(head >= RLP_LIST)) return undefined
  const start = at + 2 + 2 * Math.max(0, head - RLP_LONG_LIST)
  const bytes = head > RLP_LONG_LIST ? Number.parseInt(hex.slice(at + 2, start), 16) : head - RLP_LIST
  const end = start + 2 * bytes
  return end <= hex.length ? { start, end } : undefined
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
