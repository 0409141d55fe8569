import { liveQuery } from 'dexie'
import { askJob, completeJob, type JobKey, type JobProgress } from '@/components/studio/jobs/api'
import {
  changeGeneration,
  type GenerationChanges,
  isQueued,
  isUnsaved,
  jobLockOf,
  keepResult,
  learnCost,
  listJobs,
  loadGeneration,
  priceGeneration,
  type QueuedGeneration,
} from '@/components/studio/store'
import { payerOf } from '@/lib/browser/charge'
import { type Failure, failureOf, isSessionOver } from '@/lib/browser/failure'
import { queryClient, sessionQuery } from '@/lib/browser/queries'
import { forgetSession, SESSION_KEY } from '@/lib/browser/session'
import { type CreationFile, type Generation, isUnderWay } from '@/lib/browser/storage/generations'
import { ApiError } from '@/lib/contract/errors'
import { JOB_RETENTION_MS } from '@/lib/contract/jobs'
import { ZERO } from '@/lib/contract/money'
import type { Session } from '@/lib/contract/session'

const MIN_POLL_MS = 1_500
const MAX_POLL_MS = 10_000
// Share of the time to (or since) the expected end between two polls.
const SHARE = 4
// The service takes 120 questions a minute of an account: each live job of this browser has a second of its own, at
// least.
const MS_PER_LIVE_JOB = 1_000
// After a question without an answer: twice as long each time.
const FAULT_WAIT_MS = 2_000
const MAX_FAULT_WAIT_MS = 60_000

const UNKNOWN = { typicalMs: 8_000, ranMs: 0 }
const OTHER_TAB_MS = 1_000
// A result that the service does not release is left to it: it goes with its day, and the next page asks again.
const MAX_RELEASE_TRIES = 6

type Hooks = { onEnd?: (generation: Generation) => void }

/**
 * Follows all jobs of this browser, those of other tabs and of an earlier page too. One tab asks after a job at a time,
 * and all show what it learns. Returns how to stop.
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

const isToFollow = (generation: QueuedGeneration): boolean => generation.state !== 'failed'

type Follower = { onEnd: (generation: Generation) => void; liveJobs: () => number }

async function follow(id: string, { onEnd, liveJobs }: Follower, signal: AbortSignal): Promise<void> {
  let faults = 0
  let refusals = 0
  let notBefore = 0
  for (;;) {
    const generation = await loadGeneration(id)
    if (!generation || !isQueued(generation) || signal.aborted) return
    await awake(generation.job.payer, signal)
    const wait = Math.max(notBefore, dueAt(generation, liveJobs())) - Date.now()
    if (wait > 0) {
      // What another tab learnt meanwhile counts, so it is read again.
      if (await pause(wait, signal)) notBefore = 0
      continue
    }
    const looked = await lookLocked(generation, refusals, signal)
    if (looked === 'let-go' || signal.aborted) return
    if (looked === 'busy') {
      notBefore = Date.now() + OTHER_TAB_MS
    } else if (looked === 'under-way' || looked === 'ended') {
      faults = 0
      refusals = 0
      const ended = looked === 'ended' ? await loadGeneration(id) : undefined
      if (ended) onEnd(ended)
    } else {
      faults += 1
      refusals = looked.why === 'refused' ? refusals + 1 : 0
      notBefore = Date.now() + faultWaitMs(faults, looked.retryAfterSeconds)
      if (!isUnderWay(generation) && faults >= MAX_RELEASE_TRIES) return
    }
  }
}

function dueAt(generation: QueuedGeneration, liveJobs: number): number {
  if (!isUnderWay(generation)) return 0
  const { seenAt, typicalMs, ranMs } = generation.job
  const known = typicalMs === undefined ? UNKNOWN : { typicalMs, ranMs: ranMs ?? 0 }
  return seenAt + nextLookMs(known, liveJobs)
}

// What is stored is read again under the lock: where another tab was quicker, there is nothing to ask.
async function lookLocked({ id, state, job }: QueuedGeneration, refusals: number, signal: AbortSignal) {
  return await navigator.locks.request(jobLockOf(id), { ifAvailable: true }, async (lock): Promise<Looked | 'busy'> => {
    const generation = lock ? await loadGeneration(id) : undefined
    if (!generation || !isQueued(generation)) return 'busy'
    if (generation.state !== state || generation.job.seenAt !== job.seenAt) return 'busy'
    return await lookAtJob(generation, refusals, signal)
  })
}

/**
 * Cancels a job and refunds it; a result that was ready already is kept. False where it was not cancelled. @throws
 * ApiError, or as `fetch` does: then it goes on.
 */
export async function cancelJob(id: string): Promise<boolean> {
  const { signal } = new AbortController()
  return await navigator.locks.request(jobLockOf(id), async () => {
    const generation = await loadGeneration(id)
    if (!generation || !isQueued(generation) || !isUnderWay(generation)) return false
    const answer = await askJob(jobKeyOf(generation), signal)
    if (answer.isDone) {
      await finish(generation, answer.file)
      return false
    }
    if (!(await completeJob(jobKeyOf(generation), signal))) throw new Error('the job could not be cancelled')
    await changeGeneration(id, { state: 'cancelled', endedAt: Date.now(), job: undefined }, ['waiting', 'running'])
    await priceGeneration(id, ZERO)
    return true
  })
}

/** Asks again after a job that the service could not serve for a while. */
export async function poll(id: string): Promise<void> {
  await changeGeneration(id, { state: 'waiting', failure: undefined, endedAt: undefined }, ['failed'])
}

function nextLookMs({ typicalMs, ranMs }: JobProgress, liveJobs: number): number {
  const away = Math.abs(typicalMs - ranMs) / SHARE
  return Math.max(MIN_POLL_MS, Math.min(MAX_POLL_MS, away), liveJobs * MS_PER_LIVE_JOB)
}

// The service may have named a time itself.
function faultWaitMs(faults: number, retryAfterSeconds?: number): number {
  const own = Math.min(MAX_FAULT_WAIT_MS, FAULT_WAIT_MS * 2 ** Math.max(0, faults - 1))
  return Math.max(own, (retryAfterSeconds ?? 0) * 1_000)
}

type Looked =
  | 'under-way'
  | 'ended'
  | 'let-go'
  | { why: 'no-answer' | 'refused' | 'signed-out'; retryAfterSeconds?: number }

// A service that is away for a moment answers as it does for a failed job; it is believed after so many times.
const MAX_REFUSALS = 6

const MAX_NAME_WORDS = 6

/**
 * Asks once after a job and keeps what comes of it. A result is kept here before the service is told to release it.
 * @param refusals in a row in which the service said that it cannot serve this.
 */
async function lookAtJob(generation: QueuedGeneration, refusals: number, signal: AbortSignal): Promise<Looked> {
  try {
    if (!isUnderWay(generation)) return await letGo(generation, signal)
    const answer = await askJob(jobKeyOf(generation), signal)
    if (!answer.isDone) {
      await keepProgress(generation, answer.progress)
      return 'under-way'
    }
    return await finish(generation, answer.file)
  } catch (error) {
    if (signal.aborted) return { why: 'no-answer' }
    return await afterFault(generation, error, refusals)
  }
}

async function keepProgress({ id, job, startedAt }: QueuedGeneration, progress: { typicalMs: number; ranMs: number }) {
  const seenAt = Date.now()
  const isRunning = progress.ranMs > 0
  const changes: GenerationChanges = {
    job: { ...job, ...progress, seenAt },
    state: isRunning ? 'running' : 'waiting',
    startedAt: isRunning ? (startedAt ?? seenAt - progress.ranMs) : startedAt,
  }
  await changeGeneration(id, changes, ['waiting', 'running'])
}

async function finish(generation: QueuedGeneration, data: Blob): Promise<Looked> {
  const { id, job, startedAt, createdAt } = generation
  const file = await storedFile(generation, data)
  const endedAt = Date.now()
  const changes: GenerationChanges = {
    state: 'done',
    startedAt: startedAt ?? Math.max(createdAt, job.seenAt),
    endedAt,
    results: [file],
    job: { ...job, seenAt: endedAt },
  }
  await changeGeneration(id, changes, ['waiting', 'running'])
  await priceGeneration(id, job.price ?? ZERO)
  return 'ended'
}

async function storedFile({ kind, prompt }: QueuedGeneration, data: Blob): Promise<CreationFile> {
  const name = prompt.trim().split(/\s+/).slice(0, MAX_NAME_WORDS).join(' ') || kind
  const facts = await import('@/lib/browser/files/audio')
    .then(async ({ lookAtVideo, durationOf }) =>
      kind === 'video' ? await lookAtVideo(data) : { durationMs: await durationOf(data) },
    )
    .catch(() => ({}))
  return await keepResult(data, { name, ...facts })
}

async function letGo(generation: QueuedGeneration, signal: AbortSignal): Promise<Looked> {
  const { id, state, results, endedAt = 0 } = generation
  const isExpired = Date.now() - endedAt > JOB_RETENTION_MS
  if (state === 'done' && !isExpired) {
    if (results.some(isUnsaved)) return 'let-go'
    if (!(await completeJob(jobKeyOf(generation), signal))) return { why: 'no-answer' }
  }
  // Of a failed one the service has nothing, but it may be asked after again by hand until its day is over.
  if (state !== 'failed' || isExpired) await changeGeneration(id, { job: undefined })
  return 'let-go'
}

async function afterFault(generation: QueuedGeneration, error: unknown, refusals: number): Promise<Looked> {
  if (isSessionOver(error)) {
    forgetSession(queryClient())
    return { why: 'signed-out' }
  }
  if (!isEnd(error, refusals)) {
    return {
      why: isRefusal(error) ? 'refused' : 'no-answer',
      retryAfterSeconds: error instanceof ApiError ? error.retryAfterSeconds : undefined,
    }
  }
  if (!isUnderWay(generation)) {
    // Nothing is there to be let go of.
    await changeGeneration(generation.id, { job: undefined })
    return 'let-go'
  }
  await fail(generation, failureOf(error))
  return 'ended'
}

function isEnd(error: unknown, refusals: number): boolean {
  if (!(error instanceof ApiError)) return false
  if (isRefusal(error)) return refusals + 1 >= MAX_REFUSALS
  return error.code === 'INFERENCE_FAILED' || (error.status < 500 && error.status !== 429 && error.status !== 402)
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 503 && error.retryAfterSeconds === undefined

async function fail({ id, job, request }: QueuedGeneration, failure: Failure): Promise<void> {
  const isGone = failure.code === 'MEDIA_NOT_FOUND' || failure.code === 'REQUEST_ID_NOT_FOUND'
  const isAway = failure.code === 'SERVICE_UNAVAILABLE'
  const changes = { state: 'failed' as const, endedAt: Date.now(), failure, job: isAway ? job : undefined }
  await changeGeneration(id, changes, ['waiting', 'running'])
  // Of a result that is gone only the ledger knows whether it was paid for.
  if (isGone) await learnCost({ id, request }, { isAnswered: true })
  else if (!isAway) await priceGeneration(id, ZERO)
}

const jobKeyOf = ({ kind, modelId, job }: QueuedGeneration): JobKey => ({
  area: kind === 'video' ? 'video' : 'audio',
  model: modelId,
  queueId: job.id,
})

/** A tab that is hidden for longer asks no more until it is looked at again. */
export const HIDDEN_FOR_LONG_MS = 5 * 60_000

// `world`: a connection or a look at the tab; `session`: a sign-in or sign-out.
type Change = 'world' | 'session'

let hiddenSince: number | undefined
const listeners = new Set<(change: Change) => void>()

/** Waits until there is a connection, the tab is or was lately visible, and the payer is signed in. */
async function awake(payer: string | undefined, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(isReachable() && isLookedAt() && (await isPayer(payer)))) {
    await nextChange(['world', 'session'], signal)
  }
}

/** Waits for a time, or until a connection is back or the tab is visible again. True where that ended it. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), ms)
  const isWoken = await nextChange(['world'], AbortSignal.any([signal, over.signal]))
  clearTimeout(timer)
  return isWoken
}

function watchWorld(): () => void {
  const tell = (change: Change) => {
    for (const listener of [...listeners]) listener(change)
  }
  const onOnline = () => tell('world')
  const onVisibility = () => {
    hiddenSince = globalThis.document?.hidden ? (hiddenSince ?? Date.now()) : undefined
    if (hiddenSince === undefined) tell('world')
  }
  onVisibility()
  globalThis.addEventListener?.('online', onOnline)
  globalThis.document?.addEventListener('visibilitychange', onVisibility)
  const leaveCache = queryClient()
    .getQueryCache()
    .subscribe(({ type, query }) => {
      if (type === 'updated' && query.queryKey[0] === SESSION_KEY[0]) tell('session')
    })
  return () => {
    globalThis.removeEventListener?.('online', onOnline)
    globalThis.document?.removeEventListener('visibilitychange', onVisibility)
    leaveCache()
  }
}

const isReachable = (): boolean => globalThis.navigator?.onLine !== false

const isLookedAt = (): boolean => hiddenSince === undefined || Date.now() - hiddenSince < HIDDEN_FOR_LONG_MS

// Only the payer is told of a job. A session that cannot be loaded is no reason to wait: the service says so
// itself.
async function isPayer(payer: string | undefined): Promise<boolean> {
  const client = queryClient()
  const known = client.getQueryData<Session | null>(SESSION_KEY)
  const session = known === undefined ? await client.ensureQueryData(sessionQuery()).catch(() => undefined) : known
  if (session === undefined) return true
  return session !== null && (payer === undefined || payerOf(session) === payer)
}

function nextChange(wanted: readonly Change[], signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isChange: boolean) => {
      listeners.delete(onChange)
      signal.removeEventListener('abort', onAbort)
      resolve(isChange)
    }
    const onChange = (change: Change) => {
      if (wanted.includes(change)) finish(true)
    }
    const onAbort = () => finish(false)
    if (signal.aborted) return finish(false)
    signal.addEventListener('abort', onAbort, { once: true })
    listeners.add(onChange)
  })
}
