import 'server-only'
import { DatabaseUnavailable, isDriverOutage } from '@/lib/db/outage'
import { logSparingly } from '@/lib/kernel/log'
import { metrics } from '@/lib/kernel/metrics'
import { perProcess } from '@/lib/kernel/per-process'

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
