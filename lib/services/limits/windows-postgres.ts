import 'server-only'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { withDeadline } from '@/lib/services/limits/shared-batches'
import type { SharedCounter } from '@/lib/services/limits/window-blocks'

const SWEEP_EVERY_MS = 60_000
const MAX_SWEPT = 10_000

type Addition = { amount: number; endsAtMs: number; answer: PromiseWithResolvers<number> }

/** Counts in the table `counter`. The additions of one moment travel in one statement. */
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

  /** Removes windows that are over; what fails here is tried again a minute later. */
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
