import { isRecord, REQUEST_ID_HEADER } from '@/lib/browser/api'
import { moneyOf } from '@/lib/browser/format/cost'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import type { Usd } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

/** Why there is no answer, as plain data: it is kept with the chat and shown where the answer would be. */
export type Failure = {
  code:
    | ErrorCode
    | 'SIGN_IN_NEEDED'
    | 'CAP_PER_MESSAGE'
    | 'CAP_PER_DAY'
    | 'CONNECTION_LOST'
    | 'OFFLINE'
    | 'STORAGE_FAILED'
  /** The service's own words. */
  message: string
  requestId?: string
  /** Unix milliseconds: trying again before then is useless. */
  retryAt?: number
  /** When it happened. Tells one failure of an answer from the next, so that each is answered once. */
  at?: number
  /** What the question would have needed and what there was, where credit was missing. */
  credit?: { balance: Usd; minimum: Usd }
}

/** A question that this browser holds back: it would go over a cap that the person set. */
export class CapReached extends Error {
  override name = 'CapReached'
  readonly cap: 'CAP_PER_MESSAGE' | 'CAP_PER_DAY'

  constructor(cap: CapReached['cap'], message: string) {
    super(message)
    this.cap = cap
  }
}

/** Turns whatever was thrown into a failure. */
export function failureOf(error: unknown, now = Date.now()): Failure {
  if (error instanceof ApiError) {
    const requestId = error.headers?.[REQUEST_ID_HEADER]
    const credit = creditOf(error.body)
    return {
      code: isDiscovery(error) ? 'SIGN_IN_NEEDED' : error.code,
      message: error.message,
      at: now,
      ...(requestId && { requestId }),
      ...(credit && { credit }),
      ...(error.retryAfterSeconds !== undefined && { retryAt: now + error.retryAfterSeconds * 1000 }),
    }
  }
  if (error instanceof CapReached) return { code: error.cap, message: error.message, at: now }
  if (globalThis.navigator?.onLine === false) {
    return { code: 'OFFLINE', message: t('You’re offline. Check your connection.'), at: now }
  }
  return { code: 'CONNECTION_LOST', message: t('The service could not be reached.'), at: now }
}

/** Whether the service did not know who asked: the session has ended, or its cookie has gone. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'AUTHENTICATION_FAILED' || isDiscovery(error))
}

/** Who sends no proof at all is told how to pay, not that he has no credit (contract, x402.md 2.1). */
function isDiscovery({ code, body }: ApiError): boolean {
  return code === 'PAYMENT_REQUIRED' && isRecord(body) && Array.isArray(body.accepts)
}

function creditOf(body: unknown): Failure['credit'] {
  if (!isRecord(body)) return undefined
  const { currentBalanceUsd: balance, minimumBalanceUsd: minimum } = body
  if (typeof balance !== 'number' || typeof minimum !== 'number') return undefined
  return { balance: moneyOf(balance), minimum: moneyOf(minimum) }
}
