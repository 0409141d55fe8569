import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import type { EngineFailure } from '@/lib/services/engines/engine'
import { EngineError } from '@/lib/services/engines/engine'
import { MediaTooLarge } from '@/lib/services/jobs/media-store'
import type { Charge } from '@/lib/services/ledger/hold'

/** Which area a job is of: it decides who runs it, and on which routes it is found. */
export type JobKind = 'music' | 'video'

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

/** Why a job made nothing. `message` is fit to be shown; nothing was charged. */
export type JobFailure = { reason: EngineFailure; message: string }

/** A job as its worker gets it. */
export type ClaimedJob = {
  id: string
  accountId: string
  modelId: string
  kind: JobKind
  /** As it was queued. */
  input: unknown
  /** What an earlier attempt noted of the work at the engine; nothing when none has begun. */
  ref: unknown
  /** From 1. */
  attempt: number
  deadlineAt: Date
}

/**
 * What a job makes: a file of this type, read once. `charge` is what it costs where only the work can tell; never more than
 * was set aside.
 */
export type Made = { type: string; bytes: AsyncIterable<Uint8Array>; charge?: Charge }

export type JobTools = {
  /**
   * Aborts when the work must stop: its reason is `JobCancelled`, or another when this process gives the job away (it
   * drains, or lost the lease) and the work at the engine goes on.
   */
  signal: AbortSignal
  /**
   * Notes what the engine calls the work, before anything else is done with it: after a crash the next attempt goes on
   * from there instead of beginning anew.
   *
   * @throws when the job is no longer this worker's.
   */
  note: (ref: unknown) => Promise<void>
}

/**
 * Does the work of a kind of job. What is thrown ends the job and gives the money back, but for an EngineError that says
 * "not now" (`overloaded`, `at-capacity`), after which it is tried again.
 */
export type JobHandler = (job: ClaimedJob, tools: JobTools) => Promise<Made>

/** The caller does not want it any more: the engine should be told. */
export class JobCancelled extends Error {
  override name = 'JobCancelled'
}

/** The work goes on, and this attempt does not: the next one takes it up where this one noted it. */
export class JobInterrupted extends Error {
  override name = 'JobInterrupted'
}

/** How long a file waits to be fetched. Source: API contract, audio.md and video.md. */
export const KEPT_MS = 24 * 3_600_000
/** A job that takes longer has failed. Provider queues of an hour are seen; this leaves room for two. */
export const JOB_LIFE_SECONDS = 2 * 3_600
/** Live jobs of one account, and of all: beyond it, callers are asked to come back. */
export const MAX_LIVE_JOBS = 20
export const MAX_ALL_LIVE_JOBS = 5_000
/** Of one account at the same time, so that nobody fills every place. */
export const MAX_RUNNING_JOBS = 8
/** A job that was begun this often without an end takes its process down, and is not begun again. */
export const MAX_ATTEMPTS = 5
/** A worker says this often that it goes on; one that was silent for the length of a lease is dead. */
export const LEASE_SECONDS = 30
export const RENEW_INTERVAL_MS = 8_000
/** Of one file. */
export const MAX_MEDIA_BYTES = 512 * 1024 * 1024

const FAILED = 'The work failed.'

/** What the caller will be told of a job that failed: never what an engine wrote that was not checked. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof JobInterrupted) return failureOf(error.cause)
  if (error instanceof EngineError) return { reason: error.reason, message: error.message }
  if (error instanceof ApiError) return { reason: reasonOf(error.code), message: error.message }
  if (error instanceof MediaTooLarge) return { reason: 'failed', message: 'The result was too large to be kept.' }
  if (error instanceof Error && error.message === 'the deadline passed') {
    return { reason: 'timeout', message: 'The work did not come to an end in time.' }
  }
  return { reason: 'failed', message: FAILED }
}

/** The engine is busy and did not begin, or goes on without us. */
export const isForLater = (error: unknown): boolean =>
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

/** A failed job as the answer of its retrieve call: 422, 503, 500, or 400 for what the engine could not take. */
export function failedJob({ reason, message }: JobFailure): ApiError {
  return new ApiError(CODES[reason] ?? 'INFERENCE_FAILED', `${message} Nothing was charged.`)
}

function reasonOf(code: ErrorCode): EngineFailure {
  if (code === 'CONTENT_POLICY_VIOLATION') return 'content-policy'
  if (code === 'INVALID_REQUEST') return 'invalid-request'
  return code === 'SERVICE_UNAVAILABLE' || code === 'MODEL_OFFLINE' ? 'offline' : 'failed'
}
