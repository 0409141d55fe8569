import type { ApiError } from '@/lib/contract/errors'
import type { Usd } from '@/lib/contract/money'

/** The state of one caller's request and token window for one model. Source: API contract, README 8.2. */
export type RateLimitFacts = {
  limitRequests: number
  remainingRequests: number
  /** Unix seconds at which the request window starts anew. */
  resetRequestsAt: number
  limitTokens?: number
  remainingTokens?: number
  /** Seconds until the token window starts anew. */
  resetTokensSeconds?: number
}

/**
 * What the stages of a request leave behind. Headers and the log line are made from these and from nothing else, so
 * a stage never touches a header.
 */
export type Facts = {
  modelId?: string
  modelName?: string
  modelRouter?: string
  deprecation?: { date: string; warning: string }
  /** Set when a retired model was served by its replacement. */
  replacementId?: string
  rateLimit?: RateLimitFacts
  /** Which limit refused: the contract's `x-ratelimit-type`. */
  rateLimitType?: 'user' | 'api_key' | 'global'
  /** Balances before processing, or after what the request gave back. */
  balanceUsd?: Usd
  balanceDiem?: Usd
  /** A wallet's credit after the request, for `X-Balance-Remaining`. */
  balanceRemaining?: Usd
  /** The result of a payment that came with the request: base64 of the x402 object, for `PAYMENT-RESPONSE`. */
  paymentResponse?: string
  /** What a JSON-RPC request cost, for its own headers; of a stored reply, what it cost the first time. */
  rpc?: { credits: number; cost: Usd; requestId: string; isReplayed?: boolean }
  /** The minute that refused a JSON-RPC request, for `X-RateLimit-*`. */
  rpcLimit?: { limit: number; resetAt: number }
  /** Upstream attempts beyond the first. */
  retries?: number
  /** How the web step of a chat ended, where that is known when the reply begins. */
  webSearchStatus?: 'found' | 'nothing_found' | 'failed' | 'not_needed'
  accountId?: string
  keyId?: string
  /** Who was let in, once credentials were found good: what a refusal may still tell about itself. */
  admitted?: { accountId: string; rateMultiplier: number }
  promptTokens?: number
  completionTokens?: number
  chargedUsd?: Usd
  error?: ApiError
}

/** One request while it is served. */
export type RequestContext = {
  /** 16 hex digits and a location: the `CF-RAY` of the reply, and the id in logs. */
  readonly id: string
  readonly startedAt: number
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** The address that limits count by: an IPv4, or the /64 of an IPv6. */
  readonly clientAddress: string
  /** Aborted when the client leaves, and when the server must stop. */
  readonly signal: AbortSignal
  readonly facts: Facts
}
