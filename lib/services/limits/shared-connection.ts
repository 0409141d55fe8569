import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Database } from '@/lib/db/database'
import { config } from '@/lib/kernel/config'
import { withDeadline } from '@/lib/kernel/deadlines'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

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

const SWEEP_EVERY_MS = 60_000
const MAX_SWEPT = 10_000

type Swept = 'concurrency_lease.name' | 'counter.key' | 'failed_request.caller'

export function createSweep(place: Swept, graceSeconds = 0): (query: Database['query']) => void {
  const [table, column] = place.split('.')
  let sweepAt = performance.now() + SWEEP_EVERY_MS
  return (query) => {
    if (performance.now() < sweepAt) return
    sweepAt = performance.now() + SWEEP_EVERY_MS
    void query(
      `delete from ${table} where ${column} in
         (select ${column} from ${table} where expires_at < now() - make_interval(secs => $2) limit $1 for update skip locked)`,
      [MAX_SWEPT, graceSeconds],
    ).catch(() => undefined)
  }
}

const COMMAND_TIMEOUT_MS = 250
const CONNECT_TIMEOUT_MS = 2_000
const MAX_RECONNECT_DELAY_MS = 5_000

export type RedisConnection = {
  run<T>(commands: (redis: Redis) => Promise<T>): Promise<T>
  close(): void
}

export function openRedis(url: string): RedisConnection {
  const redis = new Redis(url, {
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // While Redis is away a command fails at once instead of waiting in a queue.
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RECONNECT_DELAY_MS),
  })
  // Said where a command fails, once a minute; without a listener each attempt to connect would be printed.
  redis.on('error', () => undefined)
  const firstAttempt = Promise.race([
    new Promise<void>((resolve) => redis.once('ready', resolve).once('close', resolve)),
    sleep(COMMAND_TIMEOUT_MS, undefined, { ref: false }),
  ])
  return {
    async run(commands) {
      await firstAttempt
      return commands(redis)
    },
    close: () => redis.disconnect(),
  }
}

export const redis = (): RedisConnection => perProcess('redis', () => openRedis(config().redisUrl!))
