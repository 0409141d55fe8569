import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { Expiring } from '@/lib/kernel/expiring-maps'
import { perProcess } from '@/lib/kernel/per-process'
import { type Caller, isWallet, type RequestContext } from '@/lib/kernel/request-context'
import { type Limits, limits } from '@/lib/services/limits/limits-file'
import { failuresInPostgres } from '@/lib/services/limits/postgres'
import { failuresInRedis, redis } from '@/lib/services/limits/redis'
import { askShared, createBatches, type FailureStore, limitStore } from '@/lib/services/limits/shared-store'

const MAX_CALLERS = 20_000
const FRESH_MS = 1_000

export type Failing = {
  name: string
  times?: number
}

type FailureBudget = ReturnType<typeof createFailureBudget>

type Failures = {
  endsAtMs: number
  at: number[]
  blockedUntilMs: number
  count: number
  unsent: number
  total: number
  heardAtMs: number
  onBlocked?: () => void
}

/** Answers 429 for a while to a caller whose requests keep failing. Source: API contract, README 8.3. */
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
) {
  const callers = new Expiring<Failures>(now, MAX_CALLERS)
  const exchange = createBatches(send)
  const blockedForMs = ({ name }: Failing) => Math.max(0, (callers.peek(name)?.blockedUntilMs ?? 0) - now())

  return {
    isBlocked: (failing: Failing): boolean => blockedForMs(failing) > 0,
    /** @throws ApiError RATE_LIMIT_EXCEEDED while the caller is blocked. */
    assertNotBlocked(failing: Failing): void {
      const leftMs = blockedForMs(failing)
      if (leftMs === 0) return
      const seconds = Math.ceil(leftMs / 1_000)
      throw new ApiError(
        'RATE_LIMIT_EXCEEDED',
        `Too many failed requests. Correct them and try again in ${seconds} s.`,
        { retryAfterSeconds: seconds },
      )
    },
    /**
     * Learns from other processes what a caller did there, where it failed here lately. Waits only for callers near the
     * limit.
     */
    refresh({ name }: Failing): Promise<void> | undefined {
      const failures = store && callers.peek(name)
      if (!failures || failures.blockedUntilMs > now()) return undefined
      // Whoever is far from the limit may pass it by what fails in a second.
      const isNear = (failures.total + failures.unsent) * 2 >= failures.count
      return isNear || now() - failures.heardAtMs > FRESH_MS ? exchange(name) : undefined
    },
    /** Counts a failed reply unless the contract leaves it out. `onBlocked` runs when this one blocks the caller. */
    recordFailure({ name, times = 1 }: Failing, status: number, hadCredentials: boolean, onBlocked?: () => void): void {
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

function isCounted(status: number, hadCredentials: boolean): boolean {
  if (status < 400 || status >= 500 || status === 429) return false
  return status !== 402 || hadCredentials
}

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
