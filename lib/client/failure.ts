import { REQUEST_ID_HEADER } from '@/lib/client/api'
import { ApiError, type ErrorCode } from '@/lib/core/errors'

/** Why there is no answer, as plain data: it is kept with the chat and shown where the answer would be. */
export type Failure = {
  code: ErrorCode | 'CONNECTION_LOST' | 'OFFLINE' | 'STORAGE_FAILED'
  /** The service's own words. */
  message: string
  requestId?: string
  /** Unix milliseconds: trying again before then is useless. */
  retryAt?: number
}

/** Turns whatever was thrown into a failure. */
export function failureOf(error: unknown, now = Date.now()): Failure {
  if (error instanceof ApiError) {
    const requestId = error.headers?.[REQUEST_ID_HEADER]
    return {
      code: error.code,
      message: error.message,
      ...(requestId && { requestId }),
      ...(error.retryAfterSeconds !== undefined && { retryAt: now + error.retryAfterSeconds * 1000 }),
    }
  }
  if (globalThis.navigator?.onLine === false) {
    return { code: 'OFFLINE', message: 'This device is offline.' }
  }
  return { code: 'CONNECTION_LOST', message: 'The service could not be reached.' }
}
