import 'server-only'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import type { Rail } from '@/lib/services/chains/rails'

const RETRY_AFTER_SECONDS = 3
const SLOW_AFTER_SECONDS = 15
const SLOW_RETRY_AFTER_SECONDS = 10

type PaymentErrorOptions = {
  details?: Record<string, unknown>
  cause?: unknown
  retryAfterSeconds?: number
  headers?: Record<string, string>
}

/**
 * Returns an error in the shape of payments: `{ error: CODE, message, details? }`. Source: API contract, README 7.1,
 * E8.
 */
export function paymentError(code: ErrorCode, message: string, options: PaymentErrorOptions = {}): ApiError {
  const { details, cause, retryAfterSeconds, headers } = options
  return new ApiError(code, message, {
    cause,
    retryAfterSeconds,
    headers: { 'Cache-Control': 'no-store', ...headers },
    body: { error: code, message, ...(details && { details }) },
  })
}

/**
 * It is unknown whether the money moved. Never 402: a client answers that with a second payment. Source: API contract,
 * x402.md 4.3 row 12.
 */
export function settlementPending(
  { id: paymentId, ageSeconds }: { id: string; ageSeconds: number },
  cause?: unknown,
): ApiError {
  const retryAfterSeconds = ageSeconds < SLOW_AFTER_SECONDS ? RETRY_AFTER_SECONDS : SLOW_RETRY_AFTER_SECONDS
  return paymentError(
    'SETTLEMENT_PENDING',
    'The payment is not confirmed yet. Do not sign a new one: send this same payment again in a few seconds. It is credited once, also if you do not.',
    { details: { paymentId }, retryAfterSeconds, cause },
  )
}

export function paymentInProgress(paymentId: string): ApiError {
  return paymentError(
    'PAYMENT_IN_PROGRESS',
    'This payment is being settled by another request. Send it again in a few seconds to see its result.',
    { details: { paymentId }, retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
}

export function malformed(message: string, cause?: unknown): ApiError {
  return paymentError('INVALID_PAYMENT_FORMAT', message, { cause })
}

export function verificationFailed(reason: string): ApiError {
  return paymentError('PAYMENT_VERIFICATION_FAILED', explain(reason), { details: { reason } })
}

export function explain(reason: string): string {
  const found = EXPLANATIONS.find(([pattern]) => pattern.test(reason))
  return found?.[1] ?? 'The payment could not be verified, and no money moved. Check the wallet and sign a new payment.'
}

const EXPLANATIONS: [RegExp, string][] = [
  [/insufficient/, 'The wallet holds less USDC than the payment, and no money moved. Add USDC or pay less.'],
  [
    /not_yet|valid_after/,
    'The payment is not valid yet. Wait for its validAfter, or check the clock of the signing device.',
  ],
  [/expired|valid_before|blockhash/, 'The payment has expired, and no money moved. Sign a new one.'],
  [/cancel/, 'The wallet withdrew this payment on its chain, and no money moved. Sign a new one.'],
  [
    /signature/,
    'The signature does not fit the payment and its payer. Sign it with the paying wallet, for this chain.',
  ],
  [
    /already_used|used_elsewhere/,
    'The payment was used up elsewhere on its chain: it did not pay this service. Sign a new one.',
  ],
  [/fee_payer/, 'The transaction names another fee payer than the payment terms. Fetch new terms and sign again.'],
  [
    /simulation/,
    'The chain would refuse the payment: usually too little USDC, or terms that are too old. No money moved.',
  ],
]

export function assertConfigured(rails: Rail[]): void {
  if (rails.length > 0) return
  throw paymentError('X402_NOT_CONFIGURED', 'This service takes no wallet payments. Use an API key with credit.')
}
