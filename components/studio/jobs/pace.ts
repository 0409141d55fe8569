import type { JobProgress } from '@/components/studio/jobs/api'

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

/** Milliseconds until a job is to be asked after again. */
export function nextLookMs({ typicalMs, ranMs }: JobProgress, liveJobs: number): number {
  const away = Math.abs(typicalMs - ranMs) / SHARE
  return Math.max(LEAST_MS, Math.min(MOST_MS, away), liveJobs * MS_PER_LIVE_JOB)
}

/** Milliseconds to wait after so many questions in a row without an answer; the service may have named a time itself. */
export function faultWaitMs(faults: number, retryAfterSeconds?: number): number {
  const own = Math.min(MOST_FAULT_MS, FAULT_MS * 2 ** Math.max(0, faults - 1))
  return Math.max(own, (retryAfterSeconds ?? 0) * 1_000)
}
