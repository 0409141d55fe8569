import 'server-only'
import { failureBudget } from '@/lib/access/failed-requests'
import type { RequestContext } from '@/lib/core/context'

/** Who cannot say who he is, and every wallet, has the budget of his address. Source: API contract, README 8.3. */
export const addressKey = ({ clientAddress }: RequestContext): string => `address:${clientAddress}`

/** @throws ApiError RATE_LIMIT_EXCEEDED while too many requests of this address have failed. */
export function assertAddressWithinBudget(context: RequestContext): void {
  const key = addressKey(context)
  if (failureBudget().isBlocked(key)) context.facts.rateLimitType = 'user'
  failureBudget().assertNotBlocked(key)
}
