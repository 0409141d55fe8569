import 'server-only'
import { noteBreach } from '@/lib/access/breaches'
import { type Caller, keyIdOf } from '@/lib/access/caller'
import { limitRoute } from '@/lib/access/rate-limit'
import type { RequestContext } from '@/lib/core/context'
import { ApiError } from '@/lib/core/errors'
import { assertDailyCredits } from '@/lib/rpc/daily-credits'
import { enterAlone } from '@/lib/rpc/mutex'
import { limitReached } from '@/lib/rpc/refusal'

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
  for (let counted = 0; counted < requests; counted++) await countRequest(context, caller)
  await assertDay(context, caller, credits)
  return enterAlone(caller.accountId, context.signal)
}

async function assertDay(context: RequestContext, caller: Caller, credits: number): Promise<void> {
  try {
    await assertDailyCredits(caller.accountId, credits, caller.rateMultiplier)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') {
      context.facts.rateLimitType = 'user'
      const modelId = `endpoint:${context.path.replace(/^\//, '')}`
      noteBreach(
        { accountId: caller.accountId, keyId: keyIdOf(caller), modelId, tier: 'crypto-rpc', type: 'RPD' },
        Date.now(),
      )
    }
    throw error
  }
}

async function countRequest(context: RequestContext, caller: Caller): Promise<void> {
  try {
    await limitRoute(context, caller, 'crypto-rpc')
  } catch (error) {
    const window = context.facts.rateLimit
    if (!(error instanceof ApiError) || error.code !== 'RATE_LIMIT_EXCEEDED' || !window) throw error
    context.facts.rpcLimit = { limit: window.limitRequests, resetAt: window.resetRequestsAt }
    const message = `The limit of ${window.limitRequests} requests a minute to blockchain networks is reached.`
    throw limitReached(error.message, message, error.retryAfterSeconds ?? 1)
  }
}
