import 'server-only'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import { sweepHolds } from '@/lib/services/ledger/statements'

const SWEEP_INTERVAL_MS = 10_000
const SWEEP_BATCH = 256
const MAX_SWEEP_BATCHES = 1_000

const holder = globalThis as typeof globalThis & { __serviceSweeper?: NodeJS.Timeout }

/**
 * Ends holds whose process died: charges their last checkpoint, releases the rest.
 *
 * @returns how many.
 */
export async function sweepAbandonedHolds(database: Database): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_SWEEP_BATCHES; batch++) {
    const ended = await sweepHolds(database, SWEEP_BATCH)
    total += ended
    if (ended < SWEEP_BATCH) break
  }
  return total
}

export function startSweeper(): void {
  if (holder.__serviceSweeper) return
  sweepQuietly()
  holder.__serviceSweeper = setInterval(sweepQuietly, SWEEP_INTERVAL_MS).unref()
}

export function stopSweeper(): void {
  clearInterval(holder.__serviceSweeper)
  holder.__serviceSweeper = undefined
}

function sweepQuietly(): void {
  getDb()
    .then(sweepAbandonedHolds)
    .then(
      (ended) => ended > 0 && log().warn({ ended }, 'holds of dead processes were ended'),
      (error: unknown) => log().warn({ error: String(error) }, 'the sweep failed; retrying later'),
    )
}
