import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { log } from '@/lib/kernel/log'
import { scrub } from '@/lib/services/rpc-nodes/node-secrets'
import type { RpcNode } from '@/lib/services/rpc-nodes/nodes'
import type { Answer, ScannedReply } from '@/lib/services/rpc-nodes/reply'

/** For everything that a request needs of its nodes. Source: API contract, crypto-rpc.md "Limits". */
export const DEADLINE_MS = 30_000

/** Reply of a network's node. `retries`: nodes that were asked beside the first. */
export type NodeReply =
  | { kind: 'answered'; body: Uint8Array<ArrayBuffer>; scanned: ScannedReply; retries: number }
  | { kind: 'refused'; status: number; body: string; retries: number }

export type ForwardOptions = { signal: AbortSignal; requestId: string; accountId: string }

export type Fault =
  | 'unreachable'
  /** The connection broke before anything came: it may have been an old one. */
  | 'cut'
  | 'cut-short'
  | 'silent'
  | 'status'
  | 'not-json-rpc'
  | 'other-question'
  | 'too-large'
  | 'too-much-at-once'
  | 'unknown-encoding'
  | 'wrong-chain'
  | 'unchecked'

export type Failure = { kind: 'failed'; fault: Fault; status?: number }

export type Outcome = ({ kind: 'answered' } & Answer) | { kind: 'refused'; status: number; answer?: Answer } | Failure

const OURS: ReadonlySet<number> = new Set([401, 402, 403, 407, 408, 429])

export const isRefusal = (status: number): boolean => status >= 400 && status < 500 && !OURS.has(status)

const isPassedOn = (status: number | undefined): status is number =>
  status !== undefined && (status === 429 || (status >= 500 && status <= 599))

export function isConnectFault(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  return /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|CERT|TLS|SSL/.test(code)
}

/** Codes of rate limits. Source: providers' own pages. */
const RATE_CODES: ReadonlySet<number> = new Set([-32029, -32016, -32090, -32429, 429])
/** "Limit exceeded" (EIP-1474): too many requests, or a reply too large for the node. */
const LIMIT_EXCEEDED = -32005
const RATE_LIMIT_PATTERN =
  /rate.?limit|too many requests|(request|daily|monthly|credit|capacity).{0,20}(limit|exceeded)|quota/i
const REVERTED = /revert/i

/**
 * Classifies an error that another node may not give: `rate`, too many requests; `size`, more than this node returns.
 */
export function limitOf({ scanned }: Answer): 'rate' | 'size' | undefined {
  const [item] = scanned.items
  if (scanned.isBatch || item === undefined || item.outcome === 'result') return undefined
  if (RATE_CODES.has(item.errorCode ?? 0) || isRateLimit(item.errorMessage)) return 'rate'
  return item.errorCode === LIMIT_EXCEEDED ? 'size' : undefined
}

export const isRateLimit = (message: string | undefined): boolean =>
  message !== undefined && RATE_LIMIT_PATTERN.test(message) && !REVERTED.test(message)

const MAX_MESSAGE_CHARACTERS = 512
const INVALID_REQUEST = -32600
const LOG_EVERY_MS = 10_000

export type Refused = { kind: 'refused'; status: number; body: string }

export function nodeRefusal(node: RpcNode, { status, answer }: { status: number; answer?: Answer }): Refused {
  const errors = answer?.scanned.items.filter(({ outcome }) => outcome === 'error') ?? []
  if (answer === undefined || errors.length === 0)
    return refusedWith(status, `refused this request with HTTP ${status}`)
  const items = errors.map(({ id = 'null', errorCode: code = INVALID_REQUEST, errorMessage = 'refused' }) => {
    const message = scrub(errorMessage, node.secrets).slice(0, MAX_MESSAGE_CHARACTERS)
    return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`
  })
  return { kind: 'refused', status, body: answer.scanned.isBatch ? `[${items.join(',')}]` : items[0]! }
}

/**
 * Makes the reply when no node answered: the last node's status where it says when to come back.
 *
 * @throws ApiError RPC_UPSTREAM_FAILED, or SERVICE_UNAVAILABLE when this process had no room.
 */
export function failWith({ slug }: RpcNetwork, last: Failure | undefined, advice = 'Try again in a moment.'): Refused {
  if (last?.fault === 'too-much-at-once') {
    const message = 'Too many large responses at once. Request less data, or try again in a moment.'
    throw new ApiError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1 })
  }
  if (last?.fault === 'status' && isPassedOn(last.status)) {
    const reason = last.status === 429 ? 'is rate limiting requests' : 'failed'
    return refusedWith(last.status, `${reason} (HTTP ${last.status}). ${advice}`)
  }
  const message =
    last?.fault === 'too-large'
      ? `The response of ${slug} is larger than 32 MB. Request less data at a time.`
      : `No node of ${slug} answered. ${advice}`
  // Only words of ours: a node's own may have its address in them.
  throw new ApiError('RPC_UPSTREAM_FAILED', message, { cause: last && `${last.fault} ${last.status ?? ''}`.trim() })
}

function refusedWith(status: number, reason: string): Refused {
  const error = `The node of this network ${reason}${reason.endsWith('.') ? '' : '.'}`
  return { kind: 'refused', status, body: JSON.stringify({ error, code: 'RPC_UPSTREAM_FAILED' }) }
}

export function logFailure(node: RpcNode, outcome: Exclude<Outcome, { kind: 'answered' }>): void {
  const now = performance.now()
  if (now - node.loggedAt < LOG_EVERY_MS) return
  node.loggedAt = now
  const { status } = outcome
  const fault = outcome.kind === 'failed' ? outcome.fault : 'refused'
  log().warn({ network: node.network.slug, node: node.number, fault, status }, 'a node did not respond')
}
