import 'server-only'
import { config } from '@/lib/kernel/config'
import { withDeadline } from '@/lib/kernel/deadlines'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

/**
 * A PostgreSQL may serve other processes on other machines, so limits are always shared there; the embedded database
 * serves one process.
 */
export function limitStore(): 'memory' | 'postgres' | 'redis' {
  const { redisUrl, databaseUrl } = config()
  if (redisUrl) return 'redis'
  return databaseUrl ? 'postgres' : 'memory'
}

export interface SharedCounter {
  add(key: string, amount: number, endsAtMs: number): Promise<number>
}

type Lease = { name: string; places: number; limit: number }

export interface LeaseStore {
  lease(processId: string, leases: Lease[]): Promise<Map<string, number>>
}

/** Slots of a dead process are free after this long; a living one renews them three times as often. */
export const LEASE_MS = 15_000

type Report = { name: string; failures: number; count: number; windowSeconds: number; blockSeconds: number }

export interface FailureStore {
  report(reports: Report[]): Promise<Map<string, { total: number; blockedMs: number }>>
}

const DEADLINE_MS = 2_000
const COOLDOWN_MS = 5_000
const COMPLAIN_EVERY_MS = 60_000

/** Sends the names of one moment together, one batch at a time. `send` never rejects. */
export function createBatches(send: (names: string[]) => Promise<void>): (name: string) => Promise<void> {
  let next: { names: Set<string>; sent: PromiseWithResolvers<void> } | undefined
  let isRunning = false

  return (name) => {
    next ??= { names: new Set(), sent: Promise.withResolvers<void>() }
    next.names.add(name)
    const { promise } = next.sent
    if (!isRunning) {
      isRunning = true
      setImmediate(run)
    }
    return promise
  }

  async function run(): Promise<void> {
    while (next) {
      const { names, sent } = next
      next = undefined
      await send([...names])
      sent.resolve()
    }
    isRunning = false
  }
}

/**
 * Asks what processes share; undefined while it cannot be reached or is slow. Each process then counts by itself: a
 * generous limit is better than no service.
 */
export async function askShared<T>(ask: () => Promise<T>): Promise<T | undefined> {
  const state = reach()
  if (performance.now() < state.restsUntil) return undefined
  try {
    return await withSharedDeadline(ask())
  } catch (error) {
    const now = performance.now()
    state.restsUntil = now + COOLDOWN_MS
    if (now >= state.complainAt) {
      state.complainAt = now + COMPLAIN_EVERY_MS
      log().warn({ err: error }, 'shared limits are unreachable; each process counts alone')
    }
  }
}

/** @throws when what is shared does not answer in time. */
export const withSharedDeadline = <T>(work: Promise<T>): Promise<T> => withDeadline(work, reach().deadlineMs)

type Reach = { deadlineMs: number; restsUntil: number; complainAt: number }

const reach = (): Reach =>
  perProcess('shared-limits', () => ({ deadlineMs: DEADLINE_MS, restsUntil: 0, complainAt: 0 }))
