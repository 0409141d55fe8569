import 'server-only'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import { ledgerProcessId } from '@/lib/services/ledger/ledger'
import { sweepHolds, sweepLeases } from '@/lib/services/ledger/statements'

const SWEEP_INTERVAL_MS = 10_000
const SWEEP_BATCH = 256
const MAX_SWEEP_BATCHES = 1_000

const holder = globalThis as typeof globalThis & { __serviceSweeper?: NodeJS.Timeout }

/**
 * Ends the leases of processes that died, and the holds of jobs that nobody ended: charges what was delivered by their
 * last mark, gives back the rest.
 * @param living the only processes that can be alive; without it those count as dead that were not seen for 30 s.
 * @returns how many.
 */
export async function sweep(database: Database, living?: string[]): Promise<number> {
  const leases = await repeat(() => sweepLeases(database, SWEEP_BATCH, living))
  return leases + (await repeat(() => sweepHolds(database, SWEEP_BATCH)))
}

async function repeat(sweepBatch: () => Promise<number | undefined>): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_SWEEP_BATCHES; batch++) {
    const ended = await sweepBatch()
    if (ended === undefined) break
    total += ended
  }
  return total
}

export function startSweeper(): void {
  if (holder.__serviceSweeper) return
  sweepQuietly({ isFirst: true })
  holder.__serviceSweeper = setInterval(() => sweepQuietly({ isFirst: false }), SWEEP_INTERVAL_MS).unref()
}

export function stopSweeper(): void {
  clearInterval(holder.__serviceSweeper)
  holder.__serviceSweeper = undefined
}

function sweepQuietly({ isFirst }: { isFirst: boolean }): void {
  getDb()
    .then((database) => {
      // The embedded database is of one process at a time: whoever had it before is gone.
      const isAlone = isFirst && database.kind === 'pglite'
      return sweep(database, isAlone ? [ledgerProcessId()] : undefined)
    })
    .then(
      (ended) => ended > 0 && log().warn({ ended }, 'leases and holds of dead processes were ended'),
      (error: unknown) => log().warn({ error: String(error) }, 'the sweep failed; retrying later'),
    )
}
