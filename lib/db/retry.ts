import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing } from '@/lib/db/outage'

const RETRY_MS = [100, 400, 1_500]
const LAST_BEGIN_MS = 5_000

/**
 * Runs a write, and again while the database is away or contended. After an outage it is unknown whether an attempt
 * took effect, so `write` must be idempotent.
 * @throws whatever the last attempt threw.
 */
export async function persist<Result>(write: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  for (const waitMs of RETRY_MS) {
    try {
      return await write()
    } catch (error) {
      if (!isPassing(error) || performance.now() + waitMs - startedAt > LAST_BEGIN_MS) throw error
      await sleep(waitMs)
    }
  }
  return write()
}
