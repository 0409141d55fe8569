import type { Access } from '@/lib/contract/docs'
import { type ErrorCode, STATUS } from '@/lib/contract/errors'
import { ContextOverflowError, ErrorBody, ErrorDetails, InvalidRequestError } from '@/lib/contract/errors.schema'
import {
  PaymentDiscovery,
  PaymentError,
  PaymentTerms,
  WalletChallenge,
  WalletCreditTooLow,
} from '@/lib/contract/x402.schema'
import type { NamedSchema, Operation } from '@/lib/endpoints/docs/openapi/operation'

const RENAMED: Partial<Record<ErrorCode, string>> = { REQUEST_TIMEOUT_BODY: 'REQUEST_TIMEOUT' }

export const codeOnWire = (code: ErrorCode): string => RENAMED[code] ?? code

const STANDARD: NamedSchema = { name: 'Error', schema: ErrorBody }
const INVALID: NamedSchema = { name: 'InvalidRequestError', schema: InvalidRequestError }

export const PAYMENT_ERROR: NamedSchema = { name: 'PaymentError', schema: PaymentError }
const DISCOVERY: NamedSchema = { name: 'PaymentDiscovery', schema: PaymentDiscovery }
const CREDIT_TOO_LOW: NamedSchema = { name: 'WalletCreditTooLow', schema: WalletCreditTooLow }

/** Error bodies shared by all areas. Source: API contract, README 7.1. */
export const ERROR_SCHEMAS: readonly NamedSchema[] = [
  STANDARD,
  INVALID,
  { name: 'ErrorDetails', schema: ErrorDetails },
  PAYMENT_ERROR,
  DISCOVERY,
  CREDIT_TOO_LOW,
  { name: 'PaymentTerms', schema: PaymentTerms },
  { name: 'WalletChallenge', schema: WalletChallenge },
]

export const CONTEXT_OVERFLOW: NamedSchema = { name: 'ContextOverflowError', schema: ContextOverflowError }

const EVERYWHERE: ErrorCode[] = ['RATE_LIMIT_EXCEEDED', 'UNKNOWN_ERROR', 'SERVICE_UNAVAILABLE']
const KEY: ErrorCode[] = [
  'PAYMENT_HEADER_NOT_ACCEPTED',
  'AUTHENTICATION_FAILED',
  'AUTHENTICATION_FAILED_INACTIVE_KEY',
  'API_ACCESS_DISABLED',
]
const SIGN_IN = (Object.keys(STATUS) as ErrorCode[]).filter((code) => code.startsWith('X402_SIGN_IN_'))
const BODY: ErrorCode[] = ['INVALID_REQUEST', 'REQUEST_TIMEOUT_BODY', 'PAYLOAD_TOO_LARGE', 'INVALID_CONTENT_TYPE']

export const PAYMENT_CODES: readonly ErrorCode[] = [
  'INVALID_PAYMENT_FORMAT',
  'UNSUPPORTED_SCHEME',
  'UNSUPPORTED_NETWORK',
  'UNSUPPORTED_TOKEN',
  'INVALID_PAYMENT_RECIPIENT',
  'INVALID_AMOUNT',
  'AMOUNT_TOO_LOW',
  'AMOUNT_TOO_HIGH',
  'INVALID_PAYMENT_PAYER',
  'PAYMENT_VERIFICATION_FAILED',
  'SETTLEMENT_FAILED',
  'PAYMENT_IN_PROGRESS',
  'PAYMENT_ALREADY_CREDITED',
  'SETTLEMENT_PENDING',
  'X402_NOT_CONFIGURED',
]
const PAYMENT_STATUSES = new Set<number>(PAYMENT_CODES.map((code) => STATUS[code]))

const PAID: ErrorCode[] = [
  ...KEY,
  ...SIGN_IN,
  'INSUFFICIENT_BALANCE',
  'PAYMENT_REQUIRED',
  'API_KEY_USD_SPEND_LIMIT_EXCEEDED',
  'API_KEY_DIEM_SPEND_LIMIT_EXCEEDED',
  'X402_CONCURRENCY_LIMIT',
  ...PAYMENT_CODES,
]

const BY_ACCESS: Record<Access, ErrorCode[]> = {
  paid: PAID,
  key: KEY,
  admin: [...KEY, 'ADMIN_KEY_REQUIRED'],
  wallet: [...SIGN_IN, 'X402_INVALID_SIGN_IN', 'X402_WALLET_MISMATCH', 'API_ACCESS_DISABLED', 'INVALID_REQUEST'],
  optional: [],
  none: [],
}

export const MODEL_ERRORS: readonly ErrorCode[] = [
  'INVALID_MODEL',
  'MODEL_NOT_FOUND',
  'PRO_ONLY_MODEL',
  'REGION_RESTRICTED',
  'MODEL_PRIVACY_RESTRICTED',
  'MODEL_RETIRED',
  'CONTENT_POLICY_VIOLATION',
  'MODEL_OVERLOADED',
  'INFERENCE_FAILED',
  'UPSTREAM_FAILED',
  'MODEL_AT_CAPACITY',
  'MODEL_OFFLINE',
  'REQUEST_TIMEOUT',
]

export function codesByStatus(operation: Operation): Map<number, string[]> {
  const codes = new Set<ErrorCode>([...EVERYWHERE, ...BY_ACCESS[operation.access], ...(operation.errors ?? [])])
  if (operation.body) for (const code of BODY) codes.add(code)
  if (operation.query || operation.path) codes.add('INVALID_REQUEST')
  const statuses = new Map<number, string[]>()
  for (const code of codes) {
    const sent = codeOnWire(code)
    statuses.set(STATUS[code], [...(statuses.get(STATUS[code]) ?? []), sent])
  }
  return new Map([...statuses].sort(([left], [right]) => left - right))
}

const NAMING_FIELDS = new Set<number>([STATUS.INVALID_REQUEST, STATUS.IMAGE_TOO_LARGE])

export function bodiesOf({ access, errorSchemas }: Operation, status: number): NamedSchema[] {
  const own = errorSchemas?.[status] ?? []
  const terms = access === 'paid' && status === STATUS.PAYMENT_REQUIRED ? [DISCOVERY, CREDIT_TOO_LOW] : []
  const payment = access === 'paid' && PAYMENT_STATUSES.has(status) ? [PAYMENT_ERROR] : []
  const invalid = NAMING_FIELDS.has(status) ? [INVALID] : []
  return [...new Set([...own, ...terms, ...invalid, STANDARD, ...payment])]
}
