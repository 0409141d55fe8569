import 'server-only'
import type { Database } from '@/lib/db/database'

const SWEEP_EVERY_MS = 60_000
const MAX_SWEPT = 10_000

/** Tables whose rows end by themselves, with the column that names a row. */
type Swept = 'concurrency_lease.name' | 'failed_request.caller'

/**
 * Removes ended rows of a table, at most once a minute, without holding up the request that calls it. What fails is tried
 * again a minute later.
 */
export function createSweep(place: Swept): (query: Database['query']) => void {
  const [table, column] = place.split('.')
  let sweepAt = performance.now() + SWEEP_EVERY_MS
  return (query) => {
    if (performance.now() < sweepAt) return
    sweepAt = performance.now() + SWEEP_EVERY_MS
    void query(
      `delete from ${table} where ${column} in
         (select ${column} from ${table} where expires_at < now() limit $1 for update skip locked)`,
      [MAX_SWEPT],
    ).catch(() => undefined)
  }
}
