import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing } from '@/lib/db/outage'

/** The waits between attempts. */
const RETRY_MS = [100, 400, 1_500]
/** No attempt begins later: somebody waits for the last one's answer. */
const LAST_BEGIN_MS = 5_000

/**
 * Runs what must be written, and again while the database is away or others are in its way. After an outage it is unknown
 * whether an attempt took effect: `write` must take once, however often it runs.
 *
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
