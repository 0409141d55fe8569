import 'server-only'
import { getDb } from '@/lib/db/client'
import type { JobHandler, JobKind } from '@/lib/services/jobs/job'
import { mediaStore } from '@/lib/services/jobs/media-store'
import { dropLeases } from '@/lib/services/jobs/statements'
import { startWorker, type Worker } from '@/lib/services/jobs/worker'

const holder = globalThis as typeof globalThis & { __serviceJobs?: Promise<Worker> }

/** Begins to run jobs in this process, until `stopJobs`. */
export async function startJobs(handlers: Record<JobKind, JobHandler>): Promise<void> {
  holder.__serviceJobs ??= open(handlers)
  await holder.__serviceJobs
}

async function open(handlers: Record<JobKind, JobHandler>): Promise<Worker> {
  const database = await getDb()
  // One process at a time has the embedded database, so whoever had these jobs is dead: nobody waits for their leases.
  if (database.kind === 'pglite') await dropLeases(database)
  return startWorker({ database, store: await mediaStore(), handlers })
}

/** Gives the jobs under way back to the queue: another process, or the next start, goes on with them. */
export async function stopJobs(): Promise<void> {
  const running = holder.__serviceJobs
  holder.__serviceJobs = undefined
  await (await running)?.stop()
}
