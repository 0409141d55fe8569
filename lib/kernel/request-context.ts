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

/** The authenticated source of a request. */
export type Caller = {
  accountId: string
  kind: 'account' | 'wallet' | 'guest'
  /** Wallet address in the form of its id: EVM in lower case, Solana as given. */
  address?: string
  isPro: boolean
  /** Multiplies the rate limits: the account's multiplier times the key's. */
  rateMultiplier: number
  via:
    | {
        type: 'key'
        keyId: string
        keyType: 'ADMIN' | 'INFERENCE'
        modelPrivacy: 'ALL' | 'PRIVATE_TEXT' | 'PRIVATE_ONLY'
        expiresAt?: Date
      }
    | { type: 'session'; sessionId: string }
    | { type: 'sign-in' }
    | { type: 'payment' }
}

/** Credentials that a route accepts. `paid` takes keys and browser sessions. Source: API contract, README 4. */
export type Accepts = 'paid' | 'key' | 'admin'

/** Tells a wallet that has no key: its 402 describes x402 payment, and its replies show what remains. */
export const isWallet = (caller: Caller): boolean => caller.kind === 'wallet' && caller.via.type !== 'key'

export function noteAdmitted({ facts }: RequestContext, caller: Caller): Caller {
  const { accountId, rateMultiplier } = caller
  facts.admitted = { accountId, rateMultiplier }
  return caller
}

export const keyIdOf = (caller: Caller): string | undefined =>
  caller.via.type === 'key' ? caller.via.keyId : undefined

/** Matched placeholders of a path: text, or a list for a catch-all. */
export type Params = Record<string, string | string[] | undefined>
