/** Who is asking, as admitted from the credentials of one request. */
export type Caller = {
  accountId: string
  kind: 'account' | 'wallet' | 'guest'
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
}

/** Which credentials a route takes. Source: API contract, README 4. `paid` takes keys and browser sessions. */
export type Accepts = 'paid' | 'key' | 'admin'

/** The API key behind a caller, if a key was used. */
export const keyIdOf = (caller: Caller): string | undefined =>
  caller.via.type === 'key' ? caller.via.keyId : undefined
