import type { Credited, Outcome, PendingPayment, Problem, Requirements } from '@/components/wallet/top-up/top-up'
import { API_ROOT, asReply, errorOf, isRecord, text } from '@/lib/browser/api'
import { type PaymentOption, WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { REQUEST_ID_HEADER } from '@/lib/contract/headers'
import type { TopUpReceipt } from '@/lib/contract/x402.schema'
import { t } from '@/lib/i18n/t'

const TOP_UP_PATH = `${API_ROOT}/x402/top-up`
const PAYMENT_HEADER = 'PAYMENT-SIGNATURE'
const PAYMENT_RESPONSE_HEADER = 'PAYMENT-RESPONSE'

const REQUIREMENTS_TIMEOUT_MS = 20_000
// Settling waits for a chain; a reply that takes longer is lost, the payment may not be.
const SEND_TIMEOUT_MS = 60_000
// Between two checks, whatever the service asks for: it takes ten top-ups a minute of one address.
const MIN_WAIT_MS = 2_000
const DEFAULT_WAIT_MS = 6_000
const MAX_WAIT_MS = 60_000

/**
 * Fetches what the service takes for a top-up: here a 402 is the wanted reply. @throws ApiError for another reply;
 * TypeError or DOMException without one.
 */
export async function fetchRequirements(): Promise<Requirements> {
  const response = await fetch(TOP_UP_PATH, { method: 'POST', signal: AbortSignal.timeout(REQUIREMENTS_TIMEOUT_MS) })
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  if (response.status === 402 && isRecord(body) && Array.isArray(body.accepts) && body.accepts.length > 0) {
    return { x402Version: Number(body.x402Version), accepts: body.accepts as PaymentOption[] }
  }
  throw response.ok
    ? new ApiError('X402_NOT_CONFIGURED', t('No payment method is available.'))
    : await errorOf(response)
}

/** Sends a signed payment. Never throws: an unknown outcome is an outcome too. */
export async function sendPayment({ header, family }: PendingPayment): Promise<Outcome> {
  try {
    const response = await fetch(TOP_UP_PATH, {
      method: 'POST',
      headers: { [PAYMENT_HEADER]: header },
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    })
    return response.ok ? await creditedBy(response, family) : refusedBy(await errorOf(response))
  } catch {
    return { kind: 'unknown', why: 'lost', retryAfterMs: DEFAULT_WAIT_MS }
  }
}

async function creditedBy(response: Response, family: Credited['family']): Promise<Outcome> {
  const { data } = asReply<TopUpReceipt>(await response.json())
  const receipt = {
    amountUsd: data?.amountCredited ?? 0,
    newBalanceUsd: data?.newBalance ?? 0,
    paymentId: data?.paymentId ?? '',
    family,
    transaction: transactionOf(response.headers.get(PAYMENT_RESPONSE_HEADER)),
  }
  return { kind: 'credited', receipt }
}

// Refusals that are final: no money moved, and none will by this payment. All others leave the outcome open.
const REFUSALS: { [C in ErrorCode]?: Problem['kind'] } = {
  SETTLEMENT_FAILED: 'settlement-failed',
  // The service never asks anew for a payment whose outcome is open.
  PAYMENT_REQUIRED: 'refused',
  PAYMENT_VERIFICATION_FAILED: 'refused',
  INVALID_PAYMENT_FORMAT: 'refused',
  UNSUPPORTED_SCHEME: 'refused',
  UNSUPPORTED_NETWORK: 'refused',
  UNSUPPORTED_TOKEN: 'refused',
  INVALID_PAYMENT_RECIPIENT: 'refused',
  INVALID_PAYMENT_PAYER: 'refused',
  INVALID_REQUEST: 'refused',
  INVALID_AMOUNT: 'amount',
  AMOUNT_TOO_LOW: 'amount',
  AMOUNT_TOO_HIGH: 'amount',
  PAYMENT_ALREADY_CREDITED: 'already-credited',
  X402_NOT_CONFIGURED: 'not-offered',
}

function refusedBy(error: ApiError): Outcome {
  const kind = REFUSALS[error.code]
  if (kind) return { kind: 'refused', problem: problemWith(reasonedKind(kind, error), error) }
  return {
    kind: 'unknown',
    why: waitOf(error.code),
    retryAfterMs: boundedWait(error.retryAfterSeconds),
    paymentId: paymentIdOf(error.body),
  }
}

function waitOf(code: ErrorCode): Extract<Outcome, { kind: 'unknown' }>['why'] {
  if (code === 'PAYMENT_IN_PROGRESS') return 'in-progress'
  return code === 'RATE_LIMIT_EXCEEDED' ? 'busy' : 'pending'
}

function boundedWait(seconds: number | undefined): number {
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, seconds === undefined ? DEFAULT_WAIT_MS : seconds * 1000))
}

// The service gives its reason in words; two of the reasons have a remedy of their own.
function reasonedKind(kind: Problem['kind'], { message, body }: ApiError): Problem['kind'] {
  if (kind !== 'refused' && kind !== 'settlement-failed') return kind
  const text = `${message} ${JSON.stringify(isRecord(body) ? (body.details ?? '') : '')}`.toLowerCase()
  if (/insufficient|not enough/.test(text)) return 'short'
  if (/valid_?before|expired|blockhash|too late/.test(text)) return 'expired'
  return kind
}

export function problemOf(error: unknown): Problem {
  if (error instanceof WalletError) return { kind: WALLET_PROBLEMS[error.reason], message: error.message }
  if (error instanceof ApiError) {
    if (error.code === 'X402_NOT_CONFIGURED') return problemWith('not-offered', error)
    return problemWith(error.code === 'RATE_LIMIT_EXCEEDED' ? 'busy' : 'unreachable', error)
  }
  if (globalThis.navigator?.onLine === false) return { kind: 'offline' }
  if (error instanceof TypeError || error instanceof DOMException) return { kind: 'unreachable' }
  return { kind: 'wallet-failed', message: error instanceof Error ? error.message : undefined }
}

const WALLET_PROBLEMS: Record<WalletError['reason'], Problem['kind']> = {
  rejected: 'rejected',
  locked: 'locked',
  timeout: 'wallet-timeout',
  unsupported: 'wallet-unsupported',
  'changed-account': 'changed-account',
  failed: 'wallet-failed',
}

function problemWith(kind: Problem['kind'], error: ApiError): Problem {
  return { kind, message: error.message, requestId: error.headers?.[REQUEST_ID_HEADER] }
}

function paymentIdOf(body: unknown): string | undefined {
  return isRecord(body) && isRecord(body.details) ? text(body.details.paymentId) : undefined
}

function transactionOf(header: string | null): string | undefined {
  try {
    const settled: unknown = JSON.parse(atob(header ?? ''))
    return isRecord(settled) ? text(settled.transaction) : undefined
  } catch {
    return undefined
  }
}

export const X402_VERSION = 2

/**
 * Has a wallet sign one entry of a 402 document's `accepts` with another amount in USDC base units. Sends nothing.
 * Returns the value of the `PAYMENT-SIGNATURE` header. Source: API contract, x402.md 4.2, shape A. @throws WalletError
 */
export async function signPayment(port: WalletPort, requirements: PaymentOption, amountUnits: bigint): Promise<string> {
  const accepted = { ...requirements, amount: amountUnits.toString() }
  const payload = await port.signPayment(accepted)
  return headerValue({ x402Version: X402_VERSION, accepted, payload })
}

/** Encodes JSON for a header: base64 of its UTF-8. */
export function headerValue(value: unknown): string {
  return btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCharCode(byte)).join(''))
}
