import type { RequestContext } from '@/lib/kernel/request-context'

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
