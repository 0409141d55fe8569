import { isRecord } from '@/lib/browser/api'
import { moneyOf } from '@/lib/browser/format/cost'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { REQUEST_ID_HEADER } from '@/lib/contract/headers'
import type { Usd } from '@/lib/contract/money'
import { t } from '@/lib/i18n/t'

/** Why there is no answer, as plain data: it is stored with the chat and shown where the answer would be. */
export type Failure = {
  code:
    | ErrorCode
    | 'SIGN_IN_NEEDED'
    | 'CAP_PER_MESSAGE'
    | 'CAP_PER_DAY'
    | 'CONNECTION_LOST'
    | 'OFFLINE'
    | 'STORAGE_FAILED'
  message: string
  requestId?: string
  /** Unix milliseconds: a retry before then is useless. */
  retryAt?: number
  /** Tells one failure of an answer from the next, so that each is retried once. */
  at?: number
  credit?: { balance: Usd; minimum: Usd }
}

export class CapReached extends Error {
  override name = 'CapReached'
  readonly cap: 'CAP_PER_MESSAGE' | 'CAP_PER_DAY'

  constructor(cap: CapReached['cap'], message: string) {
    super(message)
    this.cap = cap
  }
}

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

export function isSessionOver(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'AUTHENTICATION_FAILED' || isDiscovery(error))
}

/** A request without any proof is told how to pay, not that there is no credit. Source: API contract, x402.md 2.1. */
function isDiscovery({ code, body }: ApiError): boolean {
  return code === 'PAYMENT_REQUIRED' && isRecord(body) && Array.isArray(body.accepts)
}

function creditOf(body: unknown): Failure['credit'] {
  if (!isRecord(body)) return undefined
  const { currentBalanceUsd: balance, minimumBalanceUsd: minimum } = body
  if (typeof balance !== 'number' || typeof minimum !== 'number') return undefined
  return { balance: moneyOf(balance), minimum: moneyOf(minimum) }
}
