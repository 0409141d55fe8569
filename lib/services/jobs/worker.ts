import 'server-only'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import { type JobHandler, type JobKind, RENEW_INTERVAL_MS } from '@/lib/services/jobs/job'
import type { MediaStore } from '@/lib/services/jobs/media-rows'
import { onWake } from '@/lib/services/jobs/queue'
import { createRun, type Run } from '@/lib/services/jobs/run'
import { claimJob, type Lease, renewLeases, stateOf } from '@/lib/services/jobs/statements'
import { sweepJobs } from '@/lib/services/jobs/sweep'

/** How often a worker with a free place looks for jobs that another process queued, or left behind. */
const LOOK_INTERVAL_MS = 2_000
const SWEEP_INTERVAL_MS = 30_000
/** Jobs at the same time: most of them wait for a provider. What is heavy bounds itself. */
const PLACES = 32

export type WorkerOptions = {
  database: Database
  store: MediaStore
  handlers: Partial<Record<JobKind, JobHandler>>
  places?: number
}

export type Worker = {
  /** Stops taking jobs, gives back those under way and resolves when they are given back. */
  stop: () => Promise<void>
}

/** Takes jobs of these kinds and runs them until it is stopped. Any number of processes may; each job has one of them. */
export function startWorker({ database, store, handlers, places = PLACES }: WorkerOptions): Worker {
  const kinds = Object.keys(handlers) as JobKind[]
  const runs = new Map<string, { run: Run; lease: Lease }>()
  let isStopped = false
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  function look(): void {
    if (isStopped) return
    if (looking) {
      isAskedAgain = true
      return
    }
    looking = takeAll()
      .catch((error: unknown) => log().warn({ error: String(error) }, 'jobs could not be looked for'))
      .finally(() => {
        looking = undefined
        if (isAskedAgain) {
          isAskedAgain = false
          look()
        }
      })
  }

  async function takeAll(): Promise<void> {
    while (!isStopped && runs.size < places) {
      const row = await claimJob(database, kinds)
      if (!row) return
      const lease = { id: row.id, lease: row.lease }
      const run = createRun({ database, store, row, handler: handlers[row.kind] as JobHandler })
      runs.set(row.lease, { run, lease })
      void run.ended.finally(() => {
        runs.delete(row.lease)
        look()
      })
      // Claimed in the moment of the stop: it goes back like the others.
      if (isStopped) run.giveAway('draining')
    }
  }

  async function renew(): Promise<void> {
    const open = [...runs.values()]
    if (open.length === 0) return
    const kept = await renewLeases(
      database,
      open.map(({ lease }) => lease),
    )
    for (const { run, lease } of open) {
      if (kept.has(lease.id)) run.renewed()
      else if ((await stateOf(database, lease.id)) === 'cancelled') run.cancel()
      else run.giveAway('lost')
    }
  }

  const renewal = every(RENEW_INTERVAL_MS, async () => {
    await renew()
  })
  const sweep = every(SWEEP_INTERVAL_MS, () => sweepJobs(database, store))
  const looks = setInterval(look, LOOK_INTERVAL_MS).unref()
  const forget = onWake(look)
  look()

  return {
    async stop() {
      isStopped = true
      forget()
      clearInterval(looks)
      await looking
      const open = [...runs.values()]
      for (const { run } of open) run.giveAway('draining')
      await Promise.all(open.map(({ run }) => run.ended))
      await Promise.all([renewal.stop(), sweep.stop()])
    },
  }
}

/** Runs a task again and again, never twice at once. */
function every(intervalMs: number, task: () => Promise<void>): { stop: () => Promise<void> } {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= task()
      .catch((error: unknown) => log().warn({ error: String(error) }, 'looking after jobs failed; it is tried again'))
      .finally(() => {
        running = undefined
      })
  }, intervalMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
