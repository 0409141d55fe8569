import type { Failure } from '@/lib/browser/failure'
import { msg, t } from '@/lib/i18n/t'

export type FailureWords = { title: string; advice?: string; canRetry: boolean }

const BUSY: FailureWords = { title: msg('At capacity right now.'), canRetry: true }
const FAILED: FailureWords = { title: msg('The model failed.'), canRetry: true }
const GONE: FailureWords = { title: msg('This model is not available.'), canRetry: false }
const REFUSED: FailureWords = { title: msg('The service rejected this request.'), canRetry: false }
const CONTENT: FailureWords = {
  title: msg('The model declined this request.'),
  advice: msg('The request violates the model’s content policy. Rephrase it, or choose another model.'),
  canRetry: false,
}

const WORDS: { [C in Failure['code']]?: FailureWords } = {
  OFFLINE: { title: msg('You’re offline.'), advice: msg('Try again when you are back online.'), canRetry: true },
  CONNECTION_LOST: {
    title: msg('The connection was lost.'),
    advice: msg('The service could not be reached, or the response was interrupted.'),
    canRetry: true,
  },
  STORAGE_FAILED: { title: msg('The result could not be saved.'), canRetry: true },
  PRO_ONLY_MODEL: { title: msg('This model requires Pro.'), canRetry: false },
  MODEL_NOT_FOUND: GONE,
  MODEL_RETIRED: GONE,
  REGION_RESTRICTED: GONE,
  MODEL_OFFLINE: { title: msg('This model is not available right now.'), canRetry: true },
  PAYLOAD_TOO_LARGE: { title: msg('The file is too large.'), canRetry: false },
  IMAGE_TOO_LARGE: { title: msg('The image is too large.'), canRetry: false },
  IMAGE_TOO_SMALL: { title: msg('The image is too small.'), canRetry: false },
  CORRUPTED_IMAGE: { title: msg('The image cannot be opened.'), canRetry: false },
  CONTENT_POLICY_VIOLATION: CONTENT,
  RATE_LIMIT_EXCEEDED: { title: msg('Too many requests at once.'), canRetry: true },
  X402_CONCURRENCY_LIMIT: { title: msg('Too many requests at once.'), canRetry: true },
  MODEL_OVERLOADED: BUSY,
  MODEL_AT_CAPACITY: BUSY,
  SERVICE_UNAVAILABLE: BUSY,
  REQUEST_TIMEOUT: { title: msg('The model took too long.'), canRetry: true },
  INVALID_REQUEST: REFUSED,
  INVALID_MODEL: GONE,
  INVALID_CONTENT_TYPE: REFUSED,
  PAYMENT_REQUIRED: { title: msg('Paused: your credit is used up.'), canRetry: true },
  INSUFFICIENT_BALANCE: { title: msg('Paused: your credit is used up.'), canRetry: true },
  SIGN_IN_NEEDED: { title: msg('Your session expired.'), canRetry: true },
  AUTHENTICATION_FAILED: { title: msg('Your session expired.'), canRetry: true },
}

/** What a failure is called where the result would be, and whether the same could work a second time. */
export function failureWords({ code }: Pick<Failure, 'code'>): FailureWords {
  const { title, advice, canRetry } = WORDS[code] ?? FAILED
  return { title: t(title), canRetry, ...(advice && { advice: t(advice) }) }
}
