import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { perProcess } from '@/lib/kernel/per-process'
import type { FailureStore } from '@/lib/services/limits/failed-requests-shared'
import { failuresInPostgres, failuresInRedis } from '@/lib/services/limits/failed-requests-shared'
import { type Limits, limits } from '@/lib/services/limits/limits'
import { redis } from '@/lib/services/limits/redis'
import { askShared, createBatches } from '@/lib/services/limits/shared-batches'
import { Expiring } from '@/lib/services/limits/window-store'
import { limitStore } from '@/lib/services/limits/windows'

/** Callers whose failures are remembered at a time; beyond them the oldest are forgotten. */
const MAX_CALLERS = 20_000
/** What other processes know of a caller that failed here is asked again after this long. */
const FRESH_MS = 1_000

/** Whose failures are counted: a key, an account, a wallet at its address, an address. */
export type Failing = {
  name: string
  /** The configured count times this: several callers share the budget. */
  times?: number
}

export type FailureBudget = {
  /** Hears of other processes what a caller did there, where it failed here lately. Waits only for callers near the limit. */
  refresh(failing: Failing): Promise<void> | void
  /** @throws ApiError RATE_LIMIT_EXCEEDED while the caller is blocked. */
  assertNotBlocked(failing: Failing): void
  isBlocked(failing: Failing): boolean
  /** Counts a reply that failed; what the contract leaves out does not count. `onBlocked` runs when this one blocks the caller. */
  recordFailure(failing: Failing, status: number, hadCredentials: boolean, onBlocked?: () => void): void
}

type Failures = {
  endsAtMs: number
  /** In this process. */
  at: number[]
  blockedUntilMs: number
  /** Most failures that do not block. */
  count: number
  /** Not reported yet, or on its way. */
  unsent: number
  /** In all processes, as last heard, and when that was. */
  total: number
  heardAtMs: number
  onBlocked?: () => void
}

/**
 * The failed-request budget: a caller whose requests keep failing is answered 429 for a while, without further work.
 * Source: API contract, README 8.3.
 */
export function failureBudget(): FailureBudget {
  return perProcess('failure-budget', () => {
    const store = limitStore()
    const shared = store === 'memory' ? undefined : store === 'redis' ? failuresInRedis(redis()) : failuresInPostgres()
    return createFailureBudget(() => limits().failedRequests, shared)
  })
}

export function createFailureBudget(
  settings: () => Limits['failedRequests'],
  store?: FailureStore,
  now: () => number = () => performance.now(),
): FailureBudget {
  const callers = new Expiring<Failures>(now, MAX_CALLERS)
  const exchange = createBatches(send)
  const blockedForMs = ({ name }: Failing) => Math.max(0, (callers.peek(name)?.blockedUntilMs ?? 0) - now())

  return {
    isBlocked: (failing) => blockedForMs(failing) > 0,
    assertNotBlocked(failing) {
      const leftMs = blockedForMs(failing)
      if (leftMs === 0) return
      const seconds = Math.ceil(leftMs / 1_000)
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `Too many failed requests. Correct them and try again in ${seconds} s.`,
        { retryAfterSeconds: seconds },
      )
    },
    refresh({ name }) {
      const failures = store && callers.peek(name)
      if (!failures || failures.blockedUntilMs > now()) return
      // Whoever is far from the limit may pass it by what fails in a second.
      const isNear = (failures.total + failures.unsent) * 2 >= failures.count
      if (isNear || now() - failures.heardAtMs > FRESH_MS) return exchange(name)
    },
    recordFailure({ name, times = 1 }, status, hadCredentials, onBlocked) {
      const { count, windowSeconds } = settings()
      if (count === 0 || !isCounted(status, hadCredentials)) return
      const nowMs = now()
      const failures = callers.get(name, newFailures)
      // What was under way when the block began does not prolong it.
      if (failures.blockedUntilMs > nowMs) return
      failures.count = count * times
      failures.endsAtMs = nowMs + windowSeconds * 1_000
      failures.at.push(nowMs)
      failures.onBlocked = onBlocked
      if (store) {
        failures.unsent++
        void exchange(name)
      }
      if (failures.at.length <= failures.count) return
      const oldest = failures.at.shift()!
      if (oldest > nowMs - windowSeconds * 1_000) block(failures, settings().blockSeconds * 1_000)
    },
  }

  function block(failures: Failures, forMs: number): void {
    failures.blockedUntilMs = now() + forMs
    failures.endsAtMs = failures.blockedUntilMs
    failures.at = []
    failures.total = 0
    failures.onBlocked?.()
    failures.onBlocked = undefined
  }

  async function send(names: string[]): Promise<void> {
    const { windowSeconds, blockSeconds } = settings()
    const asked = names.flatMap((name) => {
      const failures = callers.peek(name)
      return failures ? [{ name, failures, sent: failures.unsent }] : []
    })
    if (asked.length === 0) return
    const heard = await askShared(() =>
      store!.report(
        asked.map(({ name, failures, sent }) => ({
          name,
          failures: sent,
          count: failures.count,
          windowSeconds,
          blockSeconds,
        })),
      ),
    )
    for (const { name, failures, sent } of asked) {
      failures.unsent -= sent
      const { total, blockedMs } = heard?.get(name) ?? { total: failures.total, blockedMs: 0 }
      failures.heardAtMs = now()
      if (failures.blockedUntilMs > now()) continue
      failures.total = total
      if (blockedMs > 0) block(failures, blockedMs)
    }
  }
}

const newFailures = (): Failures => ({
  endsAtMs: 0,
  at: [],
  blockedUntilMs: 0,
  count: 0,
  unsent: 0,
  total: 0,
  heardAtMs: Number.NEGATIVE_INFINITY,
})

/** Refusals of a limit, faults of ours and the 402 that only asks for credentials are not the caller's failures. */
function isCounted(status: number, hadCredentials: boolean): boolean {
  if (status < 400 || status >= 500 || status === 429) return false
  return status !== 402 || hadCredentials
}
