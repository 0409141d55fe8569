import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'
import { getDb } from '@/lib/db/client'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import {
  type ClaimedJob,
  failureOf,
  isRetryable,
  JobCancelled,
  type JobHandler,
  type JobKind,
  LEASE_SECONDS,
  MAX_ATTEMPTS,
  MAX_MEDIA_BYTES,
  type Made,
  RENEW_INTERVAL_MS,
} from '@/lib/services/jobs/job'
import { type MediaStore, mediaStore } from '@/lib/services/jobs/media-store'
import { onWake } from '@/lib/services/jobs/queue'
import {
  claimJob,
  dropLeases,
  type End,
  endJob,
  type JobRow,
  type Lease,
  noteRef,
  renewLeases,
  returnJob,
  stateOf,
} from '@/lib/services/jobs/statements'
import { sweepJobs } from '@/lib/services/jobs/sweep'

const holder = globalThis as typeof globalThis & { __serviceJobs?: Promise<Worker> }

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

export async function stopJobs(): Promise<void> {
  const running = holder.__serviceJobs
  holder.__serviceJobs = undefined
  await (await running)?.stop()
}

const LOOK_INTERVAL_MS = 2_000
const SWEEP_INTERVAL_MS = 30_000
const MAX_RUNNING = 32

export type WorkerOptions = {
  database: Database
  store: MediaStore
  handlers: Partial<Record<JobKind, JobHandler>>
  places?: number
}

export type Worker = {
  stop: () => Promise<void>
}

/** Runs jobs of these kinds until it is stopped. Any number of processes may; each job has one worker at a time. */
export function startWorker({ database, store, handlers, places = MAX_RUNNING }: WorkerOptions): Worker {
  const kinds = Object.keys(handlers) as JobKind[]
  const runs = new Map<string, { run: Run; lease: Lease }>()
  let isStopped = false
  let looking: Promise<void> | undefined
  let isRetried = false

  function look(): void {
    if (isStopped) return
    if (looking) {
      isRetried = true
      return
    }
    looking = takeAll()
      .catch((error: unknown) => log().warn({ error: String(error) }, 'polling for jobs failed'))
      .finally(() => {
        looking = undefined
        if (isRetried) {
          isRetried = false
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
      if (isStopped) run.abandon('draining')
    }
  }

  async function renew(): Promise<void> {
    const open = [...runs.values()]
    if (open.length === 0) return
    const renewed = await renewLeases(
      database,
      open.map(({ lease }) => lease),
    )
    for (const { run, lease } of open) {
      if (renewed.has(lease.id)) run.renewed()
      else if ((await stateOf(database, lease.id)) === 'cancelled') run.cancel()
      else run.abandon('lost')
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
      for (const { run } of open) run.abandon('draining')
      await Promise.all(open.map(({ run }) => run.ended))
      await Promise.all([renewal.stop(), sweep.stop()])
    },
  }
}

function every(intervalMs: number, task: () => Promise<void>): { stop: () => Promise<void> } {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= task()
      .catch((error: unknown) => log().warn({ error: String(error) }, 'job maintenance failed; retrying'))
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

const RETRY_DELAY_MS = 5_000
const END_RETRY_MS = [200, 1_000, 4_000]

type Run = {
  ended: Promise<void>
  renewed: () => void
  cancel: () => void
  abandon: (why: 'draining' | 'lost') => void
}

class AttemptAbandoned extends Error {
  override name = 'AttemptAbandoned'
}

type Options = { database: Database; store: MediaStore; row: JobRow; handler: JobHandler }

function createRun({ database, store, row, handler }: Options): Run {
  const lease = { id: row.id, lease: row.lease }
  const controller = new AbortController()
  const deadlineAt = new Date(row.deadline)
  const late = setTimeout(() => controller.abort(new Error('the deadline passed')), deadlineAt.getTime() - Date.now())
  let isDraining = false
  // Who cannot renew must stop before another may begin: two at once would have the engine do the work twice.
  let overdue = expireLater()

  function expireLater(): NodeJS.Timeout {
    return setTimeout(() => controller.abort(new AttemptAbandoned('the lease ran out')), (LEASE_SECONDS - 3) * 1_000)
  }

  async function work(): Promise<void> {
    const job: ClaimedJob = {
      id: row.id,
      accountId: row.accountId,
      modelId: row.modelId,
      kind: row.kind,
      input: JSON.parse(row.inputId === null ? row.input : await readInput(store, row.inputId)),
      ref: row.ref ?? undefined,
      attempt: row.attempts,
      deadlineAt,
    }
    const note = async (ref: unknown): Promise<void> => {
      if (!(await noteRef(database, lease, ref))) throw new AttemptAbandoned('the job is another’s')
    }
    const made = await handler(job, { signal: controller.signal, note })
    controller.signal.throwIfAborted()
    await keep(made)
  }

  // Writes the file first, then the job's end and its charge in one transaction; a file that no job names is swept.
  async function keep({ type, bytes, charge }: Made): Promise<void> {
    const id = uuid()
    const length = await store.write(id, stoppable(bytes, controller.signal), MAX_MEDIA_BYTES)
    if (await end({ media: { id, type, bytes: length }, charge })) return
    // An end that was written before its answer was lost is an end all the same.
    const [named] = await database.query('select 1 from job where media_id = $1', [id])
    if (!named) await store.remove(id)
  }

  async function end(how: End): Promise<boolean> {
    for (const waitMs of END_RETRY_MS) {
      try {
        return await endJob(database, lease, how)
      } catch (error) {
        log().warn({ job: row.id, error: String(error) }, 'the end of a job could not be saved; retrying')
        await sleep(waitMs)
      }
    }
    return endJob(database, lease, how)
  }

  async function settle(error: unknown): Promise<void> {
    const reason: unknown = controller.signal.aborted ? controller.signal.reason : error
    if (reason instanceof JobCancelled) return
    if (isDraining) return returnJob(database, lease, { delayMs: 0, isCounted: false })
    if (reason instanceof AttemptAbandoned) return
    if (isRetryable(reason) && row.attempts < MAX_ATTEMPTS) {
      return returnJob(database, lease, { delayMs: RETRY_DELAY_MS * row.attempts, isCounted: true })
    }
    const failure = failureOf(reason)
    log().warn({ job: row.id, model: row.modelId, reason: failure.reason, err: reason }, 'a job failed')
    await end({ failure })
  }

  const ended = work()
    .catch(settle)
    .catch((error: unknown) => log().error({ job: row.id, err: error }, 'a job was abandoned until its lease expires'))
    .finally(() => {
      clearTimeout(late)
      clearTimeout(overdue)
    })

  return {
    ended,
    renewed() {
      clearTimeout(overdue)
      overdue = expireLater()
    },
    cancel: () => controller.abort(new JobCancelled('the caller cancelled it')),
    abandon(why) {
      isDraining ||= why === 'draining'
      controller.abort(new AttemptAbandoned(why))
    },
  }
}

async function readInput(store: MediaStore, id: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync(store.read(id))).toString('utf8')
}

async function* stoppable(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    signal.throwIfAborted()
    yield chunk
  }
}
