import { ApiError } from '@/lib/contract/errors'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { log } from '@/lib/kernel/log'
import { scrub } from '@/lib/services/rpc-nodes/node-secrets'
import type { RpcNode } from '@/lib/services/rpc-nodes/nodes'
import type { ScannedReply } from '@/lib/services/rpc-nodes/reply'
import 'server-only'

/** A JSON-RPC reply as it came, and what it says. */
export type Answer = { body: Uint8Array<ArrayBuffer>; scanned: ScannedReply }

/** Why a node did not answer, in words that hold nothing of it. */
export type Fault =
  | 'unreachable'
  /** The connection broke before anything came: it may have been an old one. */
  | 'cut'
  | 'cut-short'
  | 'silent'
  | 'status'
  | 'not-json-rpc'
  /** JSON-RPC, and not a reply to what was asked: another shape, or other ids. */
  | 'other-question'
  | 'too-large'
  | 'too-much-at-once'
  | 'unknown-encoding'
  | 'wrong-chain'
  | 'unchecked'

export type Failure = { kind: 'failed'; fault: Fault; status?: number }

/** What became of one request to one node. */
export type Outcome =
  | ({ kind: 'answered' } & Answer)
  /** HTTP 4xx that is about the request. `said`: the node gave its reasons as JSON-RPC. */
  | { kind: 'refused'; status: number; said?: Answer }
  | Failure

/** Statuses that are about us, or about the node; the next node may know better. */
const OURS: ReadonlySet<number> = new Set([401, 402, 403, 407, 408, 429])

export const isRefusal = (status: number): boolean => status >= 400 && status < 500 && !OURS.has(status)

/** A failure that callers may know of as it is: theirs are the hands that can wait. */
const isPassedOn = (status: number | undefined): status is number =>
  status !== undefined && (status === 429 || (status >= 500 && status <= 599))

/** Nothing was sent. */
export function isConnectFault(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  return /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|CERT|TLS|SSL/.test(code)
}

/** Codes by which nodes say that we ask too often. Source: providers' own pages. */
const RATE_CODES: ReadonlySet<number> = new Set([-32029, -32016, -32090, -32429, 429])
/** "Limit exceeded" (EIP-1474): too often, or more than the node gives in one reply. */
const LIMIT_EXCEEDED = -32005
const RATE_WORDS = /rate.?limit|too many requests|(request|daily|monthly|credit|capacity).{0,20}(limit|exceeded)|quota/i
/** What a contract says is its own. */
const REVERTED = /revert/i

/**
 * Whether a single reply says no for a reason that another node may not have: `rate`, we ask this one too often and it did
 * nothing; `size`, it gives less than was asked for.
 */
export function limitOf({ scanned }: Answer): 'rate' | 'size' | undefined {
  const [item] = scanned.items
  if (scanned.isBatch || item === undefined || item.outcome === 'result') return undefined
  if (RATE_CODES.has(item.errorCode ?? 0) || isRateLimit(item.errorMessage)) return 'rate'
  return item.errorCode === LIMIT_EXCEEDED ? 'size' : undefined
}

export const isRateLimit = (message: string | undefined): boolean =>
  message !== undefined && RATE_WORDS.test(message) && !REVERTED.test(message)

const MAX_MESSAGE_CHARACTERS = 512
/** JSON-RPC's own for a request that is none. */
const INVALID_REQUEST = -32600
/** One line a node in so long: an outage has thousands of failures, all alike. */
const LOG_EVERY_MS = 10_000

export type Refused = { kind: 'refused'; status: number; body: string }

/** What a caller gets of a refusal: the node's code and words, without its address, or ours where it had none. */
export function refusalOf(node: RpcNode, { status, said }: { status: number; said?: Answer }): Refused {
  const errors = said?.scanned.items.filter(({ outcome }) => outcome === 'error') ?? []
  if (said === undefined || errors.length === 0) return refusedWith(status, `refused this request with HTTP ${status}`)
  const items = errors.map(({ id = 'null', errorCode: code = INVALID_REQUEST, errorMessage = 'refused' }) => {
    const message = scrub(errorMessage, node.secrets).slice(0, MAX_MESSAGE_CHARACTERS)
    return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`
  })
  return { kind: 'refused', status, body: said.scanned.isBatch ? `[${items.join(',')}]` : items[0]! }
}

/**
 * What a caller gets when no node answered: the last node's status where it says when to come back.
 *
 * @param advice what to do, for what must not simply be sent again.
 * @throws ApiError RPC_UPSTREAM_FAILED, or SERVICE_UNAVAILABLE when it was us who had no room.
 */
export function failWith({ slug }: RpcNetwork, last: Failure | undefined, advice = 'Try again in a moment.'): Refused {
  if (last?.fault === 'too-much-at-once') {
    const message = 'Too many large replies are under way. Ask for less, or try again in a moment.'
    throw new ApiError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1 })
  }
  if (last?.fault === 'status' && isPassedOn(last.status)) {
    const words = last.status === 429 ? 'takes no more requests at the moment' : 'failed'
    return refusedWith(last.status, `${words} (HTTP ${last.status}). ${advice}`)
  }
  const message =
    last?.fault === 'too-large'
      ? `The reply of ${slug} is larger than 32 MB. Ask for less at a time.`
      : `No node of ${slug} answered. ${advice}`
  // Only words of ours: a node's own may have its address in them.
  throw new ApiError('RPC_UPSTREAM_FAILED', message, { cause: last && `${last.fault} ${last.status ?? ''}`.trim() })
}

function refusedWith(status: number, words: string): Refused {
  const error = `The node of this network ${words}${words.endsWith('.') ? '' : '.'}`
  return { kind: 'refused', status, body: JSON.stringify({ error, code: 'RPC_UPSTREAM_FAILED' }) }
}

/** Says that a node did not answer, by its place in the list: its address may have a key in it. */
export function logFailure(node: RpcNode, outcome: Exclude<Outcome, { kind: 'answered' }>): void {
  const now = performance.now()
  if (now - node.loggedAt < LOG_EVERY_MS) return
  node.loggedAt = now
  const { status } = outcome
  const fault = outcome.kind === 'failed' ? outcome.fault : 'refused'
  log().warn({ network: node.network.slug, node: node.number, fault, status }, 'a node did not answer')
}
