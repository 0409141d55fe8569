import { learnCost } from '@/components/studio/charge'
import { holdUnkept, isUnkept } from '@/components/studio/files'
import { askJob, completeJob } from '@/components/studio/jobs/api'
import { keyOf, type QueuedCreation } from '@/components/studio/jobs/store'
import { changeCreation, keepFile, priceCreation } from '@/components/studio/store'
import { type Failure, failureOf, isSessionOver } from '@/lib/browser/failure'
import { queryClient } from '@/lib/browser/queries'
import { forgetSession } from '@/lib/browser/session'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { isUnderWay } from '@/lib/browser/storage/generations'
import { ApiError } from '@/lib/contract/errors'
import { ZERO } from '@/lib/contract/money'

/** What came of a look: nothing new to do, an end, or a reason to look again later. */
export type Looked =
  | 'under-way'
  | 'ended'
  | 'let-go'
  | { why: 'no-answer' | 'refused' | 'signed-out'; retryAfterSeconds?: number }

/** The service keeps a result for this long. Source: docs/jobs.md. */
const KEPT_MS = 24 * 3_600_000
/** What a service that is away for a moment answers, a failed job answers for ever: it is believed after so many times. */
const MOST_REFUSALS = 6

/** Words of the prompt that name the file. */
const NAME_WORDS = 6

/**
 * Asks once after the job of a creation and keeps what comes of it: how far it is, its result, or why there is none. A
 * result is kept here before the service is told to let go of it.
 *
 * @param refusals how often in a row the service has said that it cannot serve this.
 */
export async function lookAtJob(creation: QueuedCreation, refusals: number, signal: AbortSignal): Promise<Looked> {
  try {
    if (!isUnderWay(creation)) return await letGo(creation, signal)
    const answer = await askJob(keyOf(creation), signal)
    if (!answer.isDone) {
      await keepProgress(creation, answer.progress)
      return 'under-way'
    }
    return await keepResult(creation, answer.file)
  } catch (error) {
    if (signal.aborted) return { why: 'no-answer' }
    return await afterFault(creation, error, refusals)
  }
}

async function keepProgress({ id, job, startedAt }: QueuedCreation, progress: { typicalMs: number; ranMs: number }) {
  const seenAt = Date.now()
  const isRunning = progress.ranMs > 0
  const changes = {
    job: { ...job, ...progress, seenAt },
    state: isRunning ? ('running' as const) : ('waiting' as const),
  }
  const began = isRunning ? { startedAt: startedAt ?? seenAt - progress.ranMs } : {}
  await changeCreation(id, { ...changes, ...began }, ['waiting', 'running'])
}

/** Keeps a result, and counts what it cost. */
export async function keepResult(creation: QueuedCreation, data: Blob): Promise<Looked> {
  const { id, job, startedAt, createdAt } = creation
  const file = await keptFile(creation, data)
  const endedAt = Date.now()
  const began = startedAt ?? Math.max(createdAt, job.seenAt)
  const changes = {
    state: 'done' as const,
    startedAt: began,
    endedAt,
    results: [file],
    job: { ...job, seenAt: endedAt },
  }
  await changeCreation(id, changes, ['waiting', 'running'])
  await priceCreation(id, job.price ?? ZERO)
  return 'ended'
}

/** It was paid for: where the browser keeps nothing more, it lasts as long as the page, and the service still has it. */
async function keptFile({ kind, prompt }: QueuedCreation, data: Blob): Promise<CreationFile> {
  const name = prompt.trim().split(/\s+/).slice(0, NAME_WORDS).join(' ') || kind
  const sound = import('@/lib/browser/files/sound')
  const facts = await sound
    .then(({ lookAtVideo, durationOf }) =>
      kind === 'video'
        ? lookAtVideo(data)
        : durationOf(data).then((ms) => (ms === undefined ? {} : { durationMs: ms })),
    )
    .catch(() => ({}))
  try {
    return await keepFile(data, { name, ...facts })
  } catch {
    return holdUnkept(data, { name, ...facts })
  }
}

/** Tells the service that a result which is kept here is not needed there. */
async function letGo(creation: QueuedCreation, signal: AbortSignal): Promise<Looked> {
  const { id, state, results, endedAt = 0 } = creation
  const isExpired = Date.now() - endedAt > KEPT_MS
  if (state === 'done' && !isExpired) {
    if (results.some(isUnkept)) return 'let-go'
    if (!(await completeJob(keyOf(creation), signal))) return { why: 'no-answer' }
  }
  // Of a failed one the service has nothing, but it may be asked after again by hand until its day is over.
  if (state !== 'failed' || isExpired) await changeCreation(id, { job: undefined })
  return 'let-go'
}

async function afterFault(creation: QueuedCreation, error: unknown, refusals: number): Promise<Looked> {
  if (isSessionOver(error)) {
    forgetSession(queryClient())
    return { why: 'signed-out' }
  }
  if (!isEnd(error, refusals)) {
    const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined
    return {
      why: isRefusal(error) ? 'refused' : 'no-answer',
      ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    }
  }
  if (!isUnderWay(creation)) {
    // Nothing is there to be let go of.
    await changeCreation(creation.id, { job: undefined })
    return 'let-go'
  }
  await fail(creation, failureOf(error))
  return 'ended'
}

/** Whether an answer says that nothing more will come of the job. */
function isEnd(error: unknown, refusals: number): boolean {
  if (!(error instanceof ApiError)) return false
  if (isRefusal(error)) return refusals + 1 >= MOST_REFUSALS
  return error.code === 'INFERENCE_FAILED' || (error.status < 500 && error.status !== 429 && error.status !== 402)
}

/** A job whose engine was away, or a service that is. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 503 && error.retryAfterSeconds === undefined

async function fail({ id, job, request }: QueuedCreation, failure: Failure): Promise<void> {
  const isGone = failure.code === 'MEDIA_NOT_FOUND' || failure.code === 'REQUEST_ID_NOT_FOUND'
  const isAway = failure.code === 'SERVICE_UNAVAILABLE'
  const changes = { state: 'failed' as const, endedAt: Date.now(), failure, job: isAway ? job : undefined }
  await changeCreation(id, changes, ['waiting', 'running'])
  // Of a result that is gone only the ledger knows whether it was paid for.
  if (isGone) await learnCost({ id, request }, { isAnswered: true })
  else if (!isAway) await priceCreation(id, ZERO)
}
