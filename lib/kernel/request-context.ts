import type { ApiError } from '@/lib/contract/errors'
import type { Usd } from '@/lib/contract/money'

export type RateLimitFacts = {
  limitRequests: number
  remainingRequests: number
  resetRequestsAt: number
  limitTokens?: number
  remainingTokens?: number
  resetTokensSeconds?: number
}

export type Facts = {
  modelId?: string
  modelName?: string
  modelRouter?: string
  deprecation?: { date: string; warning: string }
  replacementId?: string
  rateLimit?: RateLimitFacts
  rateLimitType?: 'user' | 'api_key' | 'global'
  balanceUsd?: Usd
  balanceDiem?: Usd
  balanceRemaining?: Usd
  paymentResponse?: string
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

export type Caller = {
  accountId: string
  kind: 'account' | 'wallet' | 'guest'
  /** Wallet address in the form of its id: EVM in lower case, Solana as given. */
  address?: string
  isPro: boolean
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

export type Params = Record<string, string | string[] | undefined>
