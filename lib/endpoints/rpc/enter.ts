import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { assertDailyCredits } from '@/lib/endpoints/rpc/daily-credits'
import { enterAlone } from '@/lib/endpoints/rpc/mutex'
import { limitReached } from '@/lib/endpoints/rpc/refusal'
import { type Caller, keyIdOf } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'
import { noteBreach } from '@/lib/services/limits/breaches'
import { limitRoute } from '@/lib/services/limits/rate-limit'

/**
 * Counts requests against the account's minute and credits against its day, then waits for its turn.
 *
 * @returns gives the turn back; calling it again does nothing.
 * @throws ApiError RATE_LIMIT_EXCEEDED; `customMessage` in its body names the limit. Source: API contract, crypto-rpc.md "Limits".
 */
export async function enterRpc(
  context: RequestContext,
  caller: Caller,
  { requests, credits }: { requests: number; credits: number },
): Promise<() => void> {
  try {
    for (let counted = 0; counted < requests; counted++) await limitRoute(context, caller, 'crypto-rpc')
  } catch (error) {
    throw ofTheMinute(error, context)
  }
  try {
    await assertDailyCredits(caller.accountId, credits, caller.rateMultiplier)
  } catch (error) {
    throw ofTheDay(error, context, caller)
  }
  return enterAlone(caller.accountId, context.signal)
}

function ofTheMinute(error: unknown, { facts }: RequestContext): unknown {
  const window = facts.rateLimit
  if (!isLimit(error) || !window) return error
  facts.rpcLimit = { limit: window.limitRequests, resetAt: window.resetRequestsAt }
  const message = `The limit of ${window.limitRequests} requests a minute to blockchain networks is reached.`
  return limitReached(error.message, message, error.retryAfterSeconds ?? 1)
}

function ofTheDay(error: unknown, context: RequestContext, caller: Caller): unknown {
  if (!isLimit(error)) return error
  context.facts.rateLimitType = 'user'
  const modelId = `endpoint:${context.path.replace(/^\//, '')}`
  noteBreach(
    { accountId: caller.accountId, keyId: keyIdOf(caller), modelId, tier: 'crypto-rpc', type: 'RPD' },
    Date.now(),
  )
  return error
}

const isLimit = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED'
