import 'server-only'
import { type Limits, limits } from '@/lib/access/limits'
import { Expiring } from '@/lib/access/window-store'
import { ApiError } from '@/lib/core/errors'
import { perProcess } from '@/lib/core/per-process'

/** Callers whose failures are remembered at a time; beyond them the oldest are forgotten. */
const MAX_CALLERS = 20_000

type Failures = { endsAtMs: number; at: number[]; blockedUntilMs: number }

export type FailureBudget = {
  /** @throws ApiError RATE_LIMIT_EXCEEDED while the caller is blocked. */
  assertNotBlocked(callerKey: string): void
  isBlocked(callerKey: string): boolean
  /** Counts a reply that failed; what the contract leaves out does not count. True when this one blocks the caller. */
  recordFailure(callerKey: string, status: number, hadCredentials: boolean): boolean
}

/**
 * The failed-request budget of this process: a caller whose requests keep failing is answered 429 for a while, without
 * further work. Source: API contract, README 8.3.
 */
export function failureBudget(): FailureBudget {
  return perProcess('failure-budget', () => createFailureBudget(() => limits().failedRequests))
}

export function createFailureBudget(
  settings: () => Limits['failedRequests'],
  now: () => number = Date.now,
): FailureBudget {
  const callers = new Expiring<Failures>(now, MAX_CALLERS)
  const blockedForMs = (callerKey: string) => Math.max(0, (callers.peek(callerKey)?.blockedUntilMs ?? 0) - now())

  return {
    isBlocked: (callerKey) => blockedForMs(callerKey) > 0,
    assertNotBlocked(callerKey) {
      const leftMs = blockedForMs(callerKey)
      if (leftMs === 0) return
      const seconds = Math.ceil(leftMs / 1_000)
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `Too many failed requests. Correct them and try again in ${seconds} s.`,
        {
          retryAfterSeconds: seconds,
        },
      )
    },
    recordFailure(callerKey, status, hadCredentials) {
      const { count, windowSeconds, blockSeconds } = settings()
      if (count === 0 || !isCounted(status, hadCredentials)) return false
      const nowMs = now()
      const failures = callers.get(callerKey, () => ({ endsAtMs: 0, at: [], blockedUntilMs: 0 }))
      // What was under way when the block began does not prolong it.
      if (failures.blockedUntilMs > nowMs) return false
      failures.endsAtMs = nowMs + windowSeconds * 1_000
      failures.at.push(nowMs)
      if (failures.at.length <= count) return false
      const oldest = failures.at.shift()!
      if (oldest <= nowMs - windowSeconds * 1_000) return false
      failures.blockedUntilMs = nowMs + blockSeconds * 1_000
      failures.endsAtMs = failures.blockedUntilMs
      failures.at = []
      return true
    },
  }
}

/** Refusals of a limit, faults of ours and the 402 that only asks for credentials are not the caller's failures. */
function isCounted(status: number, hadCredentials: boolean): boolean {
  if (status < 400 || status >= 500 || status === 429) return false
  return status !== 402 || hadCredentials
}
