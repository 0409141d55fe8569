import 'server-only'
import type { Database } from '@/lib/db/client'
import { sweepRows } from '@/lib/endpoints/rpc/replies/reply-store'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'

const SWEEP_EVERY_MS = 600_000
/** A reply lives a day: for this long after the last claim there may be something to sweep. */
const IDLE_AFTER_MS = 90_000_000

type Sweeper = { timer?: NodeJS.Timeout; usedAtMs: number }

/** Sees to it that replies go when their day is over: every ten minutes for as long as this process may have some. */
export function sweepNowAndThen(database: () => Promise<Database>): void {
  const sweeper = state()
  sweeper.usedAtMs = Date.now()
  sweeper.timer ??= later(sweeper, database)
}

function later(sweeper: Sweeper, database: () => Promise<Database>): NodeJS.Timeout {
  return setTimeout(() => void sweep(sweeper, database), SWEEP_EVERY_MS).unref()
}

async function sweep(sweeper: Sweeper, database: () => Promise<Database>): Promise<void> {
  try {
    await sweepRows(await database())
  } catch (error) {
    log().warn({ err: error }, 'old idempotency replies were not removed; the next look tries again')
  }
  sweeper.timer = Date.now() - sweeper.usedAtMs < IDLE_AFTER_MS ? later(sweeper, database) : undefined
}

const state = (): Sweeper => perProcess('rpc-reply-sweep', () => ({ usedAtMs: 0 }))
