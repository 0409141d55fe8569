import type { ApiError } from '@/lib/contract/errors'
import { REQUEST_NAME_HEADER } from '@/lib/contract/headers'
import { hex, newId } from '@/lib/contract/ids'
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

export type Params = Record<string, string | string[] | undefined>

/** Tells a wallet that has no key: its 402 describes x402 payment, and its replies show what remains. */
export const isWallet = (caller: Caller): boolean => caller.kind === 'wallet' && caller.via.type !== 'key'

export function noteAdmitted({ facts }: RequestContext, caller: Caller): Caller {
  const { accountId, rateMultiplier } = caller
  facts.admitted = { accountId, rateMultiplier }
  return caller
}

export const keyIdOf = (caller: Caller): string | undefined =>
  caller.via.type === 'key' ? caller.via.keyId : undefined

const LOCATION = 'LGN'

/** Names a request in the log and in the header `CF-RAY` of its reply. */
export const newRay = (): string => `${hex(8)}-${LOCATION}`

/**
 * Returns the request's id with `prefix`. Our own page chooses it beforehand, so that it can ask for the charge of an
 * answer it never received; the ledger shows only an account's own charges.
 */
export function requestIdOf({ headers }: RequestContext, { via }: Caller, prefix: string): string {
  const name = via.type === 'session' ? headers.get(REQUEST_NAME_HEADER) : null
  return name !== null && isName(name, prefix) ? name : newId(prefix)
}

const isName = (name: string, prefix: string): boolean =>
  name.startsWith(`${prefix}-`) && /^[0-9a-f]{24}$/.test(name.slice(prefix.length + 1))
