/** Every error code and its HTTP status. Source: API contract, README 7.3 "Code table". */
export const STATUS = {
  INVALID_REQUEST: 400,
  INVALID_MODEL: 400,
  context_length_exceeded: 400,
  CORRUPTED_IMAGE: 400,
  IMAGE_TOO_SMALL: 400,
  INVALID_AUDIO_FORMAT: 400,
  INVALID_VIDEO_FORMAT: 400,
  REQUEST_ID_NOT_FOUND: 400,
  PAYMENT_HEADER_NOT_ACCEPTED: 400,
  INVALID_PAYMENT_FORMAT: 400,
  UNSUPPORTED_SCHEME: 400,
  UNSUPPORTED_NETWORK: 400,
  UNSUPPORTED_TOKEN: 400,
  INVALID_PAYMENT_RECIPIENT: 400,
  INVALID_AMOUNT: 400,
  AMOUNT_TOO_LOW: 400,
  AMOUNT_TOO_HIGH: 400,
  INVALID_PAYMENT_PAYER: 400,
  PAYMENT_VERIFICATION_FAILED: 400,
  UNSUPPORTED_RPC_NETWORK: 400,
  UNSUPPORTED_RPC_METHOD: 400,
  IDEMPOTENCY_KEY_REUSED: 400,
  AUTHENTICATION_FAILED: 401,
  AUTHENTICATION_FAILED_INACTIVE_KEY: 401,
  ADMIN_KEY_REQUIRED: 401,
  PRO_ONLY_MODEL: 401,
  X402_INVALID_SIGN_IN: 401,
  X402_SIGN_IN_PARSE_ERROR: 401,
  X402_SIGN_IN_INVALID_PAYLOAD: 401,
  X402_SIGN_IN_INVALID_CHAIN_ID: 401,
  X402_SIGN_IN_UNSUPPORTED_CHAIN: 401,
  X402_SIGN_IN_INVALID_MESSAGE: 401,
  X402_SIGN_IN_ADDRESS_MISMATCH: 401,
  X402_SIGN_IN_INVALID_WALLET: 401,
  X402_SIGN_IN_CHAIN_MISMATCH: 401,
  X402_SIGN_IN_MISSING_NONCE: 401,
  X402_SIGN_IN_DOMAIN_MISMATCH: 401,
  X402_SIGN_IN_EXPIRED: 401,
  X402_SIGN_IN_FUTURE_TIMESTAMP: 401,
  X402_SIGN_IN_NOT_BEFORE: 401,
  X402_SIGN_IN_TIMESTAMP_MISMATCH: 401,
  X402_SIGN_IN_INVALID_SIGNATURE: 401,
  X402_SIGN_IN_NONCE_REUSED: 401,
  INSUFFICIENT_BALANCE: 402,
  PAYMENT_REQUIRED: 402,
  SETTLEMENT_FAILED: 402,
  API_KEY_USD_SPEND_LIMIT_EXCEEDED: 402,
  API_KEY_DIEM_SPEND_LIMIT_EXCEEDED: 402,
  UNAUTHORIZED: 403,
  API_ACCESS_DISABLED: 403,
  X402_WALLET_MISMATCH: 403,
  REGION_RESTRICTED: 403,
  MODEL_PRIVACY_RESTRICTED: 403,
  NOT_FOUND: 404,
  MODEL_NOT_FOUND: 404,
  CHARACTER_NOT_FOUND: 404,
  MEDIA_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT_BODY: 408,
  PAYMENT_IN_PROGRESS: 409,
  PAYMENT_ALREADY_CREDITED: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  needs_consent: 409,
  DOWNLOAD_EXPIRED: 410,
  ENDPOINT_RETIRED: 410,
  MODEL_RETIRED: 410,
  PAYLOAD_TOO_LARGE: 413,
  INVALID_CONTENT_TYPE: 415,
  ASR_UPSTREAM_VALIDATION_FAILED: 422,
  CONTENT_POLICY_VIOLATION: 422,
  IMAGE_TOO_LARGE: 422,
  VIDEO_DURATION_TOO_LONG: 422,
  RATE_LIMIT_EXCEEDED: 429,
  MODEL_OVERLOADED: 429,
  X402_CONCURRENCY_LIMIT: 429,
  INFERENCE_FAILED: 500,
  UPSCALE_FAILED: 500,
  IMAGE_EDIT_ERROR: 500,
  SEARCH_FAILED: 500,
  SCRAPE_FAILED: 500,
  UNKNOWN_ERROR: 500,
  RPC_NETWORK_NOT_CONFIGURED: 500,
  RPC_UPSTREAM_FAILED: 500,
  ASR_UPSTREAM_FAILED: 502,
  UPSTREAM_FAILED: 502,
  MODEL_AT_CAPACITY: 503,
  MODEL_OFFLINE: 503,
  SETTLEMENT_PENDING: 503,
  X402_NOT_CONFIGURED: 503,
  STAKING_NOT_CONFIGURED: 503,
  SERVICE_UNAVAILABLE: 503,
  REQUEST_TIMEOUT: 504,
} as const

export type ErrorCode = keyof typeof STATUS

export type Issue = { code: string; path: (string | number)[]; message: string }

export type ApiErrorOptions = {
  /** Logged, never sent. */
  cause?: unknown
  /** Seconds for `Retry-After`, and for `retry_after` in a stream's error event. */
  retryAfterSeconds?: number
  issues?: Issue[]
  headers?: Record<string, string>
  /** Replaces the standard body: the 402 documents and the context overflow. */
  body?: unknown
}

export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly retryAfterSeconds?: number
  readonly issues?: Issue[]
  readonly headers?: Record<string, string>
  readonly body?: unknown

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.issues = options.issues
    this.headers = options.headers
    this.body = options.body
  }

  get status(): number {
    return STATUS[this.code]
  }
}

export function invalidField(path: (string | number)[], message: string): ApiError {
  return new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues: [{ code: 'custom', path, message }] })
}
