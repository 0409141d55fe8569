import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { createBatcher } from '@/lib/kernel/batcher'
import { config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import { createSweep, type RedisConnection, redis, withSharedDeadline } from '@/lib/services/limits/shared-connection'

/**
 * Answers without waiting wherever the number is local, so that a request in one process never leaves its turn of the
 * event loop for a limit.
 */
export interface WindowStore {
  take(key: string, limit: number, endsAtMs: number): LimitResult | Promise<LimitResult>
  spent(key: string, limit: number, endsAtMs: number): number | Promise<number>
  /** Counts what is known only afterwards: it may pass the limit. */
  spend(key: string, amount: number, limit: number, endsAtMs: number): void
}

export const windowEnd = (nowMs: number, windowMs: number): number => (Math.floor(nowMs / windowMs) + 1) * windowMs

export const secondsUntil = (endsAtMs: number, nowMs: number): number =>
  Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000))

export function windowIsFull(message: string, endsAtMs: number, nowMs: number): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: secondsUntil(endsAtMs, nowMs) })
}

export type LimitResult = { isAllowed: boolean; left: number }

/**
 * A PostgreSQL may serve other processes on other machines, so limits are always shared there; the embedded database
 * serves one process.
 */
export function limitStore(): 'memory' | 'postgres' | 'redis' {
  const { redisUrl, databaseUrl } = config()
  if (redisUrl) return 'redis'
  return databaseUrl ? 'postgres' : 'memory'
}

export function windows(): WindowStore {
  return perProcess('windows', () => {
    const store = limitStore()
    if (store === 'memory') return memoryWindows()
    return inBlocks(store === 'redis' ? sharedByRedis(redis()) : sharedByPostgres())
  })
}

export interface SharedCounter {
  add(key: string, amount: number, endsAtMs: number): Promise<number>
}

/** The clocks of processes and database differ. */
const SWEEP_GRACE_SECONDS = 60

export function sharedByPostgres(database: () => Promise<Database> = getDb): SharedCounter {
  const sweep = createSweep('counter.key', SWEEP_GRACE_SECONDS)
  const additions = createBatcher(
    async (batch: { key: string; amount: number; ends: number }[]) => {
      const { query } = await database()
      // In the order of the keys: batches of several processes then never wait for each other in a circle.
      const statement = query<{ key: string; used: string }>(
        `insert into counter as c (key, used, expires_at)
         select a.key, a.amount, to_timestamp(a.ends / 1000)
           from jsonb_to_recordset($1::jsonb) as a(key text, amount bigint, ends float8) order by a.key
         on conflict (key) do update set used = c.used + excluded.used
         returning key, used::text as used`,
        [JSON.stringify(batch)],
      )
      const totals = new Map((await withSharedDeadline(statement)).map(({ key, used }) => [key, Number(used)]))
      sweep(query)
      return batch.map(({ key }) => totals.get(key))
    },
    // Whatever is wrong, each process counts alone: nobody waits for a second try.
    () => true,
  )
  return { add: (key, amount, ends) => additions.add({ key, amount, ends }) }
}

const PREFIX = 'service:window:'
/** Clocks of several machines differ: a window outlives its end by this much. */
const GRACE_MS = 5_000

export function sharedByRedis({ run }: RedisConnection): SharedCounter {
  return {
    async add(key, amount, endsAtMs) {
      const name = PREFIX + key
      const replies = await run((redis) =>
        redis
          .multi()
          .incrby(name, amount)
          .pexpireat(name, endsAtMs + GRACE_MS)
          .exec(),
      )
      const [error, total] = replies?.[0] ?? [new Error('Redis gave up the transaction')]
      if (error) throw error
      return Number(total)
    },
  }
}

/** A process takes this share of what is left at a time: large while there is plenty, single requests near the end. */
const BLOCKS = 16
const COMPLAIN_EVERY_MS = 60_000

type Window = {
  endsAtMs: number
  granted: number
  total: number
  hasAsked: boolean
  unsent: number
  waiting: number
  underWay?: Promise<void>
}

/**
 * Windows shared by several processes at one round trip a block: a process takes a few requests at a time out of the
 * shared count and hands them out by itself, and tells what it spent when that is worth telling. When the shared count
 * cannot be reached, each process counts by itself: a limit that is too generous for a while is better than no service.
 */
export function inBlocks(counter: SharedCounter, now: () => number = Date.now): WindowStore {
  const open = new Expiring<Window>(now)
  let complainAt = 0
  const windowOf = (key: string, endsAtMs: number) =>
    windowIn(open, key, endsAtMs, () => ({ endsAtMs, granted: 0, total: 0, hasAsked: false, unsent: 0, waiting: 0 }))

  return {
    take(key, limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      return takeGranted(window, limit) ?? takeWhenRefilled(key, window, limit)
    },
    spent(key, _limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      if (window.hasAsked) return window.total + window.unsent
      return tell(key, window).then(() => window.total + window.unsent)
    },
    spend(key, amount, limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      window.unsent += amount
      if (window.unsent * BLOCKS >= limit) void tell(key, window)
    },
  }

  async function takeWhenRefilled(key: string, window: Window, limit: number) {
    window.waiting++
    try {
      for (;;) {
        window.underWay ??= refill(key, window, limit)
        await window.underWay
        // Each refill brings at least one request or the end of the window's budget, so this ends.
        const granted = takeGranted(window, limit)
        if (granted) return granted
      }
    } finally {
      window.waiting--
    }
  }

  async function refill(key: string, window: Window, limit: number): Promise<void> {
    const size = Math.min(Math.max(Math.ceil((limit - window.total) / BLOCKS), window.waiting, 1), limit)
    const total = await add(key, window, size)
    // Whoever passes the limit gets only what fitted below it.
    window.granted += Math.max(0, size - Math.max(0, total - limit))
  }

  function tell(key: string, window: Window): Promise<void> {
    window.underWay ??= (async () => {
      const amount = window.unsent
      window.unsent = 0
      await add(key, window, amount)
    })()
    return window.underWay
  }

  async function add(key: string, window: Window, amount: number): Promise<number> {
    try {
      window.total = await counter.add(`${key}:${window.endsAtMs / 1000}`, amount, window.endsAtMs)
    } catch (error) {
      window.total += amount
      complain(error)
    } finally {
      window.hasAsked = true
      window.underWay = undefined
    }
    return window.total
  }

  function complain(error: unknown): void {
    if (now() < complainAt) return
    complainAt = now() + COMPLAIN_EVERY_MS
    log().warn({ err: error }, 'shared rate limits are unreachable; each process counts alone')
  }
}

function takeGranted(window: Window, limit: number) {
  if (window.granted > 0) {
    window.granted--
    return { isAllowed: true, left: Math.max(0, limit - window.total) + window.granted }
  }
  return window.hasAsked && window.total >= limit ? { isAllowed: false, left: 0 } : undefined
}

export interface LocalWindows extends WindowStore {
  take(key: string, limit: number, endsAtMs: number): LimitResult
  spent(key: string, limit: number, endsAtMs: number): number
}

export function memoryWindows(now: () => number = Date.now): LocalWindows {
  const open = new Expiring<{ used: number; endsAtMs: number }>(now)
  const windowOf = (key: string, endsAtMs: number) => windowIn(open, key, endsAtMs, () => ({ used: 0, endsAtMs }))
  return {
    take(key, limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      if (window.used >= limit) return { isAllowed: false, left: 0 }
      window.used++
      return { isAllowed: true, left: limit - window.used }
    },
    spent: (key, _limit, endsAtMs) => windowOf(key, endsAtMs).used,
    spend(key, amount, _limit, endsAtMs) {
      windowOf(key, endsAtMs).used += amount
    },
  }
}

/**
 * After the clock was set back, an open window may end long after the one asked for: it starts anew, or a minute would
 * last as long as the correction.
 */
function windowIn<T extends { endsAtMs: number }>(
  open: Expiring<T>,
  key: string,
  endsAtMs: number,
  create: () => T,
): T {
  const known = open.peek(key)
  return known?.endsAtMs === endsAtMs ? known : open.put(key, create())
}

const MAX_WINDOWS = 200_000
const EXPIRY_INTERVAL_MS = 60_000

export class Expiring<T extends { endsAtMs: number }> {
  readonly #entries = new Map<string, T>()
  readonly #now: () => number
  readonly #capacity: number
  #sweepAt = 0

  constructor(now: () => number, capacity = MAX_WINDOWS) {
    this.#now = now
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  peek(key: string): T | undefined {
    const known = this.#entries.get(key)
    return known !== undefined && known.endsAtMs > this.#now() ? known : undefined
  }

  get(key: string, create: () => T): T {
    return this.peek(key) ?? this.put(key, create())
  }

  put(key: string, entry: T): T {
    const nowMs = this.#now()
    if (nowMs >= this.#sweepAt || this.#entries.size >= this.#capacity) this.#sweep(nowMs)
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  #sweep(nowMs: number): void {
    this.#sweepAt = nowMs + EXPIRY_INTERVAL_MS
    for (const [key, { endsAtMs }] of this.#entries) if (endsAtMs <= nowMs) this.#entries.delete(key)
    if (this.#entries.size < this.#capacity) return
    // A tenth goes at a time, so that a full map is not walked for every newcomer.
    const limit = Math.floor(this.#capacity * 0.9)
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= limit) return
      this.#entries.delete(key)
    }
  }
}
