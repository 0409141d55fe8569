import { liveQuery } from 'dexie'
import { askJob, completeJob, type JobProgress } from '@/components/studio/jobs/api'
import { awake, pause, watchWorld } from '@/components/studio/jobs/awake'
import { keepResult, type Looked, lookAtJob } from '@/components/studio/jobs/look'
import { isQueued, jobLockOf, keyOf, listJobs, type QueuedCreation } from '@/components/studio/jobs/store'
import { changeCreation, loadCreation, priceCreation } from '@/components/studio/store'
import type { Generation } from '@/lib/browser/storage/generations'
import { isUnderWay } from '@/lib/browser/storage/generations'
import { ZERO } from '@/lib/contract/money'

/** A job is asked after this often: soon where it should be done, less often where it should not. */
const LEAST_MS = 1_500
const MOST_MS = 10_000
/** The share of the time to (or since) the expected end. */
const SHARE = 4
/** The service takes 120 questions a minute of an account: each live job of this browser has a second of its own, at least. */
const MS_PER_LIVE_JOB = 1_000
/** After a question that had no answer: twice as long each time. */
const FAULT_MS = 2_000
const MOST_FAULT_MS = 60_000

/** Of a job that nothing is known of yet. */
const UNKNOWN = { typicalMs: 8_000, ranMs: 0 }
/** Another tab is asking at this moment. */
const OTHER_TAB_MS = 1_000
/** A result that the service does not let go of is left to it: it goes with its day, and is asked for with the next page. */
const MOST_FAREWELLS = 6

type Hooks = {
  /** The job of a creation came to an end in this tab. */
  onEnd?: (creation: Generation) => void
}

/**
 * Follows all jobs of this browser, those that other tabs queue and those of an earlier page too, until the returned
 * function is called. Of several tabs one asks after a job at a time, and what it learns all of them show.
 */
export function followJobs({ onEnd = () => undefined }: Hooks = {}): () => void {
  const ending = new AbortController()
  const followed = new Set<string>()
  const stopWatching = watchWorld()
  const begin = (id: string) => {
    if (followed.has(id) || ending.signal.aborted) return
    followed.add(id)
    const follower = { onEnd, liveJobs: () => followed.size }
    void follow(id, follower, ending.signal)
      .catch(() => undefined)
      .finally(() => followed.delete(id))
  }
  const subscription = liveQuery(listJobs).subscribe({
    next: (jobs) => {
      for (const job of jobs) if (isToFollow(job)) begin(job.id)
    },
    // Without storage there are no jobs to follow.
    error: () => undefined,
  })
  return () => {
    ending.abort()
    subscription.unsubscribe()
    stopWatching()
  }
}

/** A result of an earlier page that was not let go of, and whatever runs. */
const isToFollow = (creation: QueuedCreation): boolean => creation.state !== 'failed'

type Follower = { onEnd: (creation: Generation) => void; liveJobs: () => number }

async function follow(id: string, { onEnd, liveJobs }: Follower, signal: AbortSignal): Promise<void> {
  let faults = 0
  let refusals = 0
  let notBefore = 0
  for (;;) {
    const creation = await loadCreation(id)
    if (!creation || !isQueued(creation) || signal.aborted) return
    await awake(creation.job.payer, signal)
    const wait = Math.max(notBefore, dueAt(creation, liveJobs())) - Date.now()
    if (wait > 0) {
      // What another tab learnt meanwhile counts, so it is read again.
      if (await pause(wait, signal)) notBefore = 0
      continue
    }
    const looked = await lookLocked(creation, refusals, signal)
    if (looked === 'let-go' || signal.aborted) return
    if (looked === 'busy') {
      notBefore = Date.now() + OTHER_TAB_MS
    } else if (looked === 'under-way' || looked === 'ended') {
      faults = 0
      refusals = 0
      const ended = looked === 'ended' ? await loadCreation(id) : undefined
      if (ended) onEnd(ended)
    } else {
      faults += 1
      refusals = looked.why === 'refused' ? refusals + 1 : 0
      notBefore = Date.now() + faultWaitMs(faults, looked.retryAfterSeconds)
      if (!isUnderWay(creation) && faults >= MOST_FAREWELLS) return
    }
  }
}

/** When it is to be asked after next: at once for what ended, and is to be let go of. */
function dueAt(creation: QueuedCreation, liveJobs: number): number {
  if (!isUnderWay(creation)) return 0
  const { seenAt, typicalMs, ranMs } = creation.job
  const known = typicalMs === undefined ? UNKNOWN : { typicalMs, ranMs: ranMs ?? 0 }
  return seenAt + nextLookMs(known, liveJobs)
}

/** One tab asks. What is stored is read again under the lock: where another was quicker, there is nothing to ask. */
async function lookLocked({ id, state, job }: QueuedCreation, refusals: number, signal: AbortSignal) {
  return await navigator.locks.request(jobLockOf(id), { ifAvailable: true }, async (lock): Promise<Looked | 'busy'> => {
    const creation = lock ? await loadCreation(id) : undefined
    if (!creation || !isQueued(creation)) return 'busy'
    if (creation.state !== state || creation.job.seenAt !== job.seenAt) return 'busy'
    return await lookAtJob(creation, refusals, signal)
  })
}

/**
 * Ends a job that is not wanted any more: its money comes back. One that was ready already is kept, as it is paid for.
 *
 * @returns whether it was cancelled. @throws ApiError, or as `fetch` does: then it goes on.
 */
export async function cancelJob(id: string): Promise<boolean> {
  const { signal } = new AbortController()
  return await navigator.locks.request(jobLockOf(id), async () => {
    const creation = await loadCreation(id)
    if (!creation || !isQueued(creation) || !isUnderWay(creation)) return false
    const answer = await askJob(keyOf(creation), signal)
    if (answer.isDone) {
      await keepResult(creation, answer.file)
      return false
    }
    if (!(await completeJob(keyOf(creation), signal))) throw new Error('the job could not be cancelled')
    await changeCreation(id, { state: 'cancelled', endedAt: Date.now(), job: undefined }, ['waiting', 'running'])
    await priceCreation(id, ZERO)
    return true
  })
}

/** Asks again after a job that the service could not serve for a while. */
export async function lookAgain(id: string): Promise<void> {
  await changeCreation(id, { state: 'waiting', failure: undefined, endedAt: undefined }, ['failed'])
}

/** Milliseconds until a job is to be asked after again. */
function nextLookMs({ typicalMs, ranMs }: JobProgress, liveJobs: number): number {
  const away = Math.abs(typicalMs - ranMs) / SHARE
  return Math.max(LEAST_MS, Math.min(MOST_MS, away), liveJobs * MS_PER_LIVE_JOB)
}

/** Milliseconds to wait after so many questions in a row without an answer; the service may have named a time itself. */
function faultWaitMs(faults: number, retryAfterSeconds?: number): number {
  const own = Math.min(MOST_FAULT_MS, FAULT_MS * 2 ** Math.max(0, faults - 1))
  return Math.max(own, (retryAfterSeconds ?? 0) * 1_000)
}
