import 'server-only'
import { type Caller, isWallet } from '@/lib/access/caller'
import { failureBudget } from '@/lib/access/failed-requests'
import { addressKey } from '@/lib/access/sign-in/address-budget'
import type { RequestContext } from '@/lib/core/context'
import { ApiError } from '@/lib/core/errors'

/** A fixed text: clients match it, and every bad credential gets the same. Source: API contract, README 7.3. */
export const AUTHENTICATION_FAILED = 'Authentication failed'

/** Requests of wallets, which may be had for nothing: what they do wrong counts against their address. */
const countedByAddress = new WeakSet<RequestContext>()

/** Says whose failure it is when this request fails. Called as soon as the caller is known. */
export function countByAddress(context: RequestContext, caller: Caller): void {
  if (isWallet(caller)) countedByAddress.add(context)
}

/** Failures count per key, per account for a guest's session, and per address for everyone else. */
export function failureKey(context: RequestContext): string {
  const { keyId, accountId } = context.facts
  if (keyId !== undefined) return `key:${keyId}`
  return accountId === undefined || countedByAddress.has(context) ? addressKey(context) : `account:${accountId}`
}

/** @throws ApiError RATE_LIMIT_EXCEEDED while too many requests of this caller have failed. */
export function assertWithinBudget(context: RequestContext): void {
  const caller = failureKey(context)
  if (failureBudget().isBlocked(caller))
    context.facts.rateLimitType = context.facts.keyId === undefined ? 'user' : 'api_key'
  failureBudget().assertNotBlocked(caller)
}

/** Who cannot say who he is has his address's budget: guessing ends in 429. */
export function unauthenticated(context: RequestContext): ApiError {
  assertWithinBudget(context)
  return new ApiError('AUTHENTICATION_FAILED', AUTHENTICATION_FAILED)
}
