import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { EngineError, type EngineFailure } from '@/lib/services/engines/engine'
import { type JobFailure, JobInterrupted } from '@/lib/services/jobs/job'
import { MediaTooLarge } from '@/lib/services/jobs/media-rows'

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
