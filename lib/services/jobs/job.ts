import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { EngineError, type EngineFailure } from '@/lib/services/engines/engine'
import { MediaTooLarge } from '@/lib/services/jobs/media-store'
import type { Charge } from '@/lib/services/ledger/ledger-types'

// Source: API contract, audio.md and video.md.
export const JOB_LIFE_SECONDS = 2 * 3_600
export const MAX_LIVE_JOBS = 20
export const MAX_ALL_LIVE_JOBS = 5_000
export const MAX_RUNNING_JOBS = 8
export const MAX_ATTEMPTS = 5
export const LEASE_SECONDS = 30
export const RENEW_INTERVAL_MS = 8_000
export const MAX_MEDIA_BYTES = 512 * 1024 * 1024

export type JobKind = 'music' | 'video'

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

export type JobFailure = { reason: EngineFailure; message: string }

export type ClaimedJob = {
  id: string
  accountId: string
  modelId: string
  kind: JobKind
  input: unknown
  // What an earlier attempt noted of the work at the provider; undefined when none has begun.
  ref: unknown
  attempt: number
  deadlineAt: Date
}

export type Made = { type: string; bytes: AsyncIterable<Uint8Array>; charge?: Charge }

export type JobTools = {
  /**
   * Aborts when the work must stop: with `JobCancelled`, or with another reason when this process drains or lost the
   * lease and the work at the provider goes on.
   */
  signal: AbortSignal
  /**
   * Notes the provider's id of the work before anything else is done with it: after a crash the next attempt continues
   * it.
   * @throws when the job is no longer this worker's.
   */
  note: (ref: unknown) => Promise<void>
}

/**
 * Does the work of a kind of job. An error ends the job and releases its money, but for an EngineError that says "not
 * now" (`overloaded`, `at-capacity`), which is retried.
 */
export type JobHandler = (job: ClaimedJob, tools: JobTools) => Promise<Made>

export class JobCancelled extends Error {
  override name = 'JobCancelled'
}

export class JobInterrupted extends Error {
  override name = 'JobInterrupted'
}

const FAILED = 'The generation failed.'

export function failureOf(error: unknown): JobFailure {
  if (error instanceof JobInterrupted) return failureOf(error.cause)
  if (error instanceof EngineError) return { reason: error.reason, message: error.message }
  if (error instanceof ApiError) return { reason: reasonOf(error.code), message: error.message }
  if (error instanceof MediaTooLarge) return { reason: 'failed', message: 'The result is too large to be stored.' }
  if (error instanceof Error && error.message === 'the deadline passed') {
    return { reason: 'timeout', message: 'The work did not come to an end in time.' }
  }
  return { reason: 'failed', message: FAILED }
}

export const isRetryable = (error: unknown): boolean =>
  error instanceof JobInterrupted ||
  (error instanceof EngineError && (error.reason === 'overloaded' || error.reason === 'at-capacity'))

const CODES = {
  'invalid-request': 'INVALID_REQUEST',
  'context-overflow': 'INVALID_REQUEST',
  'content-policy': 'CONTENT_POLICY_VIOLATION',
  overloaded: 'SERVICE_UNAVAILABLE',
  'at-capacity': 'SERVICE_UNAVAILABLE',
  offline: 'SERVICE_UNAVAILABLE',
  timeout: 'INFERENCE_FAILED',
  failed: 'INFERENCE_FAILED',
} as const satisfies Record<EngineFailure, ErrorCode>

export function failedJob({ reason, message }: JobFailure): ApiError {
  return new ApiError(CODES[reason] ?? 'INFERENCE_FAILED', `${message} Nothing was charged.`)
}

function reasonOf(code: ErrorCode): EngineFailure {
  if (code === 'CONTENT_POLICY_VIOLATION') return 'content-policy'
  if (code === 'INVALID_REQUEST') return 'invalid-request'
  return code === 'SERVICE_UNAVAILABLE' || code === 'MODEL_OFFLINE' ? 'offline' : 'failed'
}
