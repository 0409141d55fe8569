import type { ApiError } from '@/lib/contract/errors'
import type { Usd } from '@/lib/contract/money'

/** State of one caller's request and token window for one model. Source: API contract, README 8.2. */
export type RateLimitFacts = {
  limitRequests: number
  remainingRequests: number
  /** Unix seconds. */
  resetRequestsAt: number
  limitTokens?: number
  remainingTokens?: number
  resetTokensSeconds?: number
}

/**
 * What stages record about a request. Headers and the log line are made from these alone, so that no stage touches a
 * header.
 */
export type Facts = {
  modelId?: string
  modelName?: string
  modelRouter?: string
  deprecation?: { date: string; warning: string }
  replacementId?: string
  rateLimit?: RateLimitFacts
  /** The limit that refused: the contract's `x-ratelimit-type`. */
  rateLimitType?: 'user' | 'api_key' | 'global'
  balanceUsd?: Usd
  balanceDiem?: Usd
  balanceRemaining?: Usd
  /** Base64 of the x402 result, for `PAYMENT-RESPONSE`. */
  paymentResponse?: string
  /** Cost of a JSON-RPC request; of a replayed reply, its original cost. */
  rpc?: { credits: number; cost: Usd; requestId: string; isReplayed?: boolean }
  rpcLimit?: { limit: number; resetAt: number }
  retries?: number
  webSearchStatus?: 'found' | 'nothing_found' | 'failed' | 'not_needed'
  accountId?: string
  keyId?: string
  admitted?: { accountId: string; rateMultiplier: number }
  promptTokens?: number
  completionTokens?: number
  chargedUsd?: Usd
  error?: ApiError
}

export type RequestContext = {
  /** 16 hex digits and a location: the reply's `CF-RAY`, and the id in logs. */
  readonly id: string
  readonly startedAt: number
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** Address that limits count by: an IPv4, or the /64 of an IPv6. */
  readonly clientAddress: string
  /** Aborted when the client leaves and when the server must stop. */
  readonly signal: AbortSignal
  readonly facts: Facts
}
