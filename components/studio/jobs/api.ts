import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, errorOf, fetchJson, postJson } from '@/lib/browser/api'
import { moneyOf } from '@/lib/browser/format/cost'
import type { AudioQueueResponse } from '@/lib/contract/audio.schema'
import type { CompleteResponse, ProgressResponse, QuoteResponse } from '@/lib/contract/jobs.schema'
import type { Usd } from '@/lib/contract/money'
import type { VideoQueueResponse } from '@/lib/contract/video.schema'

/** Audio and video have the same calls. Source: API contract, audio.md and video.md. */
export type JobArea = 'audio' | 'video'

export type JobKey = { area: JobArea; model: string; queueId: string }

/** Milliseconds: `typicalMs` is what four of five jobs of its model took, `ranMs` is 0 while it waits. */
export type JobProgress = { typicalMs: number; ranMs: number }

export type JobAnswer = { isDone: false; progress: JobProgress } | { isDone: true; file: Blob }

// The service answers questions about jobs at once; bodies with images take a while to send.
const ASK_TIMEOUT_MS = 30_000
const QUEUE_TIMEOUT_MS = 120_000
// For a result: half a gigabyte over a slow line.
const FETCH_TIMEOUT_MS = 30 * 60_000

// Operators change prices with a restart.
const QUOTE_FRESH_MS = 60_000

export const quoteQuery = (area: JobArea, body: object) =>
  queryOptions({
    queryKey: ['studio', 'quote', area, JSON.stringify(body)],
    queryFn: ({ signal }): Promise<Usd> => quoteJob(area, body, signal),
    staleTime: QUOTE_FRESH_MS,
    retry: false,
  })

/** Asks for the price of a job. @throws ApiError, or as `fetch` does. */
export async function quoteJob(area: JobArea, body: object, signal: AbortSignal): Promise<Usd> {
  const { quote } = await fetchJson<QuoteResponse>(`${API_ROOT}/${area}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  return moneyOf(quote)
}

/**
 * Queues a job and returns its id; its price is on hold from now on. @param headers name the request, so that the
 * ledger can be asked for its price. @throws ApiError, or as `fetch` does: then it may be queued all the same.
 */
export async function queueJob(area: JobArea, body: object, headers: Record<string, string>): Promise<string> {
  const response = await postJson(`${API_ROOT}/${area}/queue`, body, AbortSignal.timeout(QUEUE_TIMEOUT_MS), headers)
  return ((await response.json()) as AudioQueueResponse | VideoQueueResponse).queue_id
}

/**
 * Asks for progress or the result. The service keeps the result until `completeJob`. @throws ApiError, also for a job
 * that failed; as `fetch` does, also for a result that broke off.
 */
export async function askJob(job: JobKey, signal: AbortSignal): Promise<JobAnswer> {
  const response = await ask(job, 'retrieve', signal)
  if (!response.headers.get('content-type')?.startsWith('application/json')) {
    return { isDone: true, file: await response.blob() }
  }
  const reply = (await response.json()) as ProgressResponse
  return { isDone: false, progress: { typicalMs: reply.average_execution_time, ranMs: reply.execution_duration } }
}

/**
 * Releases a job: one that runs is cancelled and refunded, a result is deleted. Idempotent. False: try again later.
 * @throws as `askJob` does.
 */
export async function completeJob(job: JobKey, signal: AbortSignal): Promise<boolean> {
  const response = await ask(job, 'complete', signal)
  return ((await response.json()) as CompleteResponse).success
}

// The answer has to begin soon; a file may take long.
async function ask({ area, model, queueId }: JobKey, verb: 'retrieve' | 'complete', signal: AbortSignal) {
  const begins = new AbortController()
  const timer = setTimeout(() => begins.abort(new DOMException('No answer', 'TimeoutError')), ASK_TIMEOUT_MS)
  try {
    const response = await fetch(`${API_ROOT}/${area}/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, queue_id: queueId }),
      signal: AbortSignal.any([signal, begins.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
    })
    if (!response.ok) throw await errorOf(response)
    return response
  } finally {
    clearTimeout(timer)
  }
}
