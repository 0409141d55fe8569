import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { RequestContext } from '@/lib/kernel/request-context'
import { type Caller, isWallet } from '@/lib/kernel/request-context'
import { type Failing, failureBudget } from '@/lib/services/limits/failed-requests'

/** A fixed text: clients match it, and every bad credential gets the same. Source: API contract, README 7.3. */
export const AUTHENTICATION_FAILED = 'Authentication failed'

const WALLETS_PER_ADDRESS = 5

/** The wallet of a request, proven or only claimed: its failures count against it and its address. */
const wallets = new WeakMap<RequestContext, string>()

export function countAsWallet(context: RequestContext, wallet: string): void {
  wallets.set(context, wallet)
}

export function countCaller(context: RequestContext, caller: Caller): void {
  if (isWallet(caller)) countAsWallet(context, caller.address ?? caller.accountId)
}

/**
 * Who answers for a failure: the key; the account of a guest's session; a wallet at its address, and all wallets there
 * together; the address of everyone else. An office behind one address has many wallets, and one that fails must not shut
 * the others out. Source: API contract, README 8.3.
 */
export function failingOf(context: RequestContext): Failing[] {
  const { keyId, accountId } = context.facts
  if (keyId !== undefined) return [{ name: `key:${keyId}` }]
  const wallet = wallets.get(context)
  if (wallet !== undefined) return [{ name: `wallet:${context.clientAddress} ${wallet}` }, walletsOf(context)]
  return [accountId === undefined ? addressOf(context) : { name: `account:${accountId}` }]
}

const addressOf = ({ clientAddress }: RequestContext): Failing => ({ name: `address:${clientAddress}` })

const walletsOf = ({ clientAddress }: RequestContext): Failing => ({
  name: `wallets:${clientAddress}`,
  times: WALLETS_PER_ADDRESS,
})

export async function assertWithinBudget(context: RequestContext): Promise<void> {
  for (const failing of failingOf(context)) {
    const hearing = failureBudget().refresh(failing)
    if (hearing) await hearing
  }
  assertNotBlocked(context)
}

export function assertNotBlocked(context: RequestContext): void {
  for (const failing of failingOf(context)) assertOpen(context, failing)
}

export const assertWalletsWithinBudget = (context: RequestContext): void => assertOpen(context, walletsOf(context))

export const isAddressBlocked = (context: RequestContext): boolean => failureBudget().isBlocked(addressOf(context))

export const countBadCredentials = (context: RequestContext): void =>
  failureBudget().recordFailure(addressOf(context), 401, true)

function assertOpen({ facts }: RequestContext, failing: Failing): void {
  if (failureBudget().isBlocked(failing)) facts.rateLimitType = facts.keyId === undefined ? 'user' : 'api_key'
  failureBudget().assertNotBlocked(failing)
}

export async function unauthenticated(context: RequestContext): Promise<ApiError> {
  await assertWithinBudget(context)
  return new ApiError('AUTHENTICATION_FAILED', AUTHENTICATION_FAILED)
}
