import 'server-only'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import type { RedisConnection } from '@/lib/services/limits/redis'
import { redis } from '@/lib/services/limits/redis'
import { withDeadline } from '@/lib/services/limits/shared-batches'
import type { SharedCounter } from '@/lib/services/limits/window-blocks'
import { inBlocks } from '@/lib/services/limits/window-blocks'
import { memoryWindows, type WindowStore } from '@/lib/services/limits/window-store'

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

const SWEEP_EVERY_MS = 60_000
const MAX_SWEPT = 10_000

type Addition = { amount: number; endsAtMs: number; answer: PromiseWithResolvers<number> }

export function sharedByPostgres(database: () => Promise<Database> = getDb): SharedCounter {
  let waiting = new Map<string, Addition>()
  let isRunning = false
  let sweepAt = Date.now() + SWEEP_EVERY_MS

  return {
    add(key, amount, endsAtMs) {
      const answer = Promise.withResolvers<number>()
      waiting.set(key, { amount, endsAtMs, answer })
      if (!isRunning) {
        isRunning = true
        setImmediate(drain)
      }
      return answer.promise
    },
  }

  async function drain(): Promise<void> {
    while (waiting.size > 0) {
      const batch = waiting
      waiting = new Map()
      await send(batch)
      if (Date.now() >= sweepAt) await sweep()
    }
    isRunning = false
  }

  async function send(batch: Map<string, Addition>): Promise<void> {
    try {
      const rows = [...batch].map(([key, { amount, endsAtMs }]) => ({ key, amount, ends: endsAtMs }))
      const { query } = await database()
      // In the order of the keys: batches of several processes then never wait for each other in a circle.
      const statement = query<{ key: string; used: string }>(
        `insert into counter as c (key, used, expires_at)
         select a.key, a.amount, to_timestamp(a.ends / 1000)
           from jsonb_to_recordset($1::jsonb) as a(key text, amount bigint, ends float8) order by a.key
         on conflict (key) do update set used = c.used + excluded.used
         returning key, used::text as used`,
        [JSON.stringify(rows)],
      )
      const totals = await withDeadline(statement)
      for (const { key, used } of totals) batch.get(key)?.answer.resolve(Number(used))
    } catch (error) {
      for (const { answer } of batch.values()) answer.reject(error)
    }
  }

  async function sweep(): Promise<void> {
    sweepAt = Date.now() + SWEEP_EVERY_MS
    const { query } = await database()
    await query(
      `delete from counter where key in
         (select key from counter where expires_at < now() - interval '1 minute' limit $1 for update skip locked)`,
      [MAX_SWEPT],
    ).catch(() => undefined)
  }
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
