import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'
import type { Database } from '@/lib/db/database'
import { log } from '@/lib/kernel/log'
import { failureOf, isForLater } from '@/lib/services/jobs/failure'
import {
  type ClaimedJob,
  JobCancelled,
  type JobHandler,
  LEASE_SECONDS,
  MAX_ATTEMPTS,
  MAX_MEDIA_BYTES,
  type Made,
} from '@/lib/services/jobs/job'
import type { MediaStore } from '@/lib/services/jobs/media-rows'
import { type End, endJob, type JobRow, noteRef, returnJob } from '@/lib/services/jobs/statements'

/** After an engine said "not now". */
const LATER_MS = 5_000
/** The end of a job is written again this often while the database is away; then the lease runs out anyway. */
const END_RETRY_MS = [200, 1_000, 4_000]

/** One job under way in this process. */
export type Run = {
  /** Never rejects: whatever happens to the job is written down, or left to the lease. */
  ended: Promise<void>
  /** The lease was prolonged. */
  renewed: () => void
  cancel: () => void
  /** `draining`: back into the queue, for whoever comes next. `lost`: it is another's by now. */
  giveAway: (why: 'draining' | 'lost') => void
}

class GivenAway extends Error {
  override name = 'GivenAway'
}

type Options = { database: Database; store: MediaStore; row: JobRow; handler: JobHandler }

export function createRun({ database, store, row, handler }: Options): Run {
  const lease = { id: row.id, lease: row.lease }
  const controller = new AbortController()
  const deadlineAt = new Date(row.deadline)
  const late = setTimeout(() => controller.abort(new Error('the deadline passed')), deadlineAt.getTime() - Date.now())
  let isDraining = false
  // Who cannot renew must stop before another may begin: two at once would have the engine do the work twice.
  let overdue = expireLater()

  function expireLater(): NodeJS.Timeout {
    return setTimeout(() => controller.abort(new GivenAway('the lease ran out')), (LEASE_SECONDS - 3) * 1_000)
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
      if (!(await noteRef(database, lease, ref))) throw new GivenAway('the job is another’s')
    }
    const made = await handler(job, { signal: controller.signal, note })
    controller.signal.throwIfAborted()
    await keep(made)
  }

  /** The file first, then the job's end and its charge in one transaction; a file that no job names is swept. */
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
        log().warn({ job: row.id, error: String(error) }, 'the end of a job could not be written; it is tried again')
        await sleep(waitMs)
      }
    }
    return endJob(database, lease, how)
  }

  async function settle(error: unknown): Promise<void> {
    const reason: unknown = controller.signal.aborted ? controller.signal.reason : error
    if (reason instanceof JobCancelled) return
    if (isDraining) return returnJob(database, lease, { delayMs: 0, isCounted: false })
    if (reason instanceof GivenAway) return
    if (isForLater(reason) && row.attempts < MAX_ATTEMPTS) {
      return returnJob(database, lease, { delayMs: LATER_MS * row.attempts, isCounted: true })
    }
    const failure = failureOf(reason)
    log().warn({ job: row.id, model: row.modelId, reason: failure.reason, err: reason }, 'a job failed')
    await end({ failure })
  }

  const ended = work()
    .catch(settle)
    .catch((error: unknown) => log().error({ job: row.id, err: error }, 'a job was left to its lease'))
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
    giveAway(why) {
      isDraining ||= why === 'draining'
      controller.abort(new GivenAway(why))
    },
  }
}

async function readInput(store: MediaStore, id: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync(store.read(id))).toString('utf8')
}

/** A provider that sends its file forever ends with the job. */
async function* stoppable(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    signal.throwIfAborted()
    yield chunk
  }
}
