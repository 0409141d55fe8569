import 'server-only'
import { DatabaseUnavailable, isDriverOutage } from '@/lib/db/outage'
import { logSparingly } from '@/lib/kernel/log'
import { metrics } from '@/lib/kernel/metrics'
import { perProcess } from '@/lib/kernel/per-process'

export const databaseState = () => perProcess('database-state', () => ({ refusesWrites: false }))

export function fromDriver(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !isDriverOutage(error)) return error
  const outage = new DatabaseUnavailable(error)
  metrics().databaseFailures.add(1, outage.code)
  if (outage.stopsWrites) databaseState().refusesWrites = true
  logSparingly(`database ${outage.code}`, { code: outage.code, err: error }, 'the database is not available')
  return outage
}
