import type { RequestContext } from '@/lib/kernel/request-context'

/** Who is asking, as admitted from the credentials of one request. */
export type Caller = {
  accountId: string
  kind: 'account' | 'wallet' | 'guest'
  /** The wallet behind it, in the form that is its id: EVM lower-case, Solana as given. */
  address?: string
  /** May use models whose access is `pro`. */
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
    /** A wallet's proof in the request's own header. */
    | { type: 'sign-in' }
    /** A payment sent with the request itself. */
    | { type: 'payment' }
}

/** Which credentials a route takes. Source: API contract, README 4. `paid` takes keys and browser sessions. */
export type Accepts = 'paid' | 'key' | 'admin'

/**
 * A caller who is a wallet and nothing else: its 402 is the wallet's, and it sees what remains. A key of a wallet's account
 * is a key.
 */
export const isWallet = (caller: Caller): boolean => caller.kind === 'wallet' && caller.via.type !== 'key'

/** Lets a caller in: replies may tell how much of its limits and credit is left. */
export function noteAdmitted({ facts }: RequestContext, caller: Caller): Caller {
  const { accountId, rateMultiplier } = caller
  facts.admitted = { accountId, rateMultiplier }
  return caller
}

/** The API key behind a caller, if a key was used. */
export const keyIdOf = (caller: Caller): string | undefined =>
  caller.via.type === 'key' ? caller.via.keyId : undefined
