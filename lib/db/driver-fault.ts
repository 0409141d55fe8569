import 'server-only'
import { logSparingly } from '@/lib/core/log-sparingly'
import { metrics } from '@/lib/core/metrics'
import { perProcess } from '@/lib/core/per-process'
import { DatabaseUnavailable, isDriverOutage } from '@/lib/db/outage'

/** What this process has found out about its database by using it. */
export const databaseState = () => perProcess('database-state', () => ({ refusesWrites: false }))

/** What a driver threw, as everybody else gets it. An outage is counted and logged here, whoever meets it. */
export function fromDriver(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !isDriverOutage(error)) return error
  const outage = new DatabaseUnavailable(error)
  metrics().databaseFailures.add(1, outage.code)
  if (outage.stopsWrites) databaseState().refusesWrites = true
  logSparingly(`database ${outage.code}`, { code: outage.code, err: error }, 'the database is not available')
  return outage
}
