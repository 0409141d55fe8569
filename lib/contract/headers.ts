export const WEB_SEARCH_STATUSES = ['found', 'nothing_found', 'failed', 'not_needed'] as const
export type WebSearchStatus = (typeof WEB_SEARCH_STATUSES)[number]

export type HeaderForm = 'text' | 'number' | 'date-time' | 'dollars' | readonly string[]

const FLAG = ['true', 'false'] as const

/**
 * Headers of replies and the forms of their values; a list has the only values there are. Source: API contract, README
 * 6.
 */
export const REPLY_HEADERS = {
  'CF-RAY': 'text',
  'x-service-version': 'text',
  'x-service-timestamp': 'date-time',
  'x-service-middleface-version': 'text',
  'x-service-mobile-version': 'text',
  'x-service-request-timestamp-ms': 'number',
  'x-service-host-name': 'text',
  'x-ratelimit-limit-requests': 'number',
  'x-ratelimit-remaining-requests': 'number',
  'x-ratelimit-reset-requests': 'number',
  'x-ratelimit-limit-tokens': 'number',
  'x-ratelimit-remaining-tokens': 'number',
  'x-ratelimit-reset-tokens': 'number',
  'x-ratelimit-type': 'text',
  'x-ratelimit-remaining': 'number',
  'x-ratelimit-resets': 'number',
  'Retry-After': 'number',
  'x-service-balance-usd': 'dollars',
  'x-service-balance-diem': 'dollars',
  'X-Balance-Remaining': 'dollars',
  'PAYMENT-REQUIRED': 'text',
  'PAYMENT-RESPONSE': 'text',
  'X-PAYMENT-RESPONSE': 'text',
  'x-service-model-id': 'text',
  'x-service-model-name': 'text',
  'x-service-model-router': 'text',
  'x-service-model-deprecation-warning': 'text',
  'x-service-model-deprecation-date': 'date-time',
  'x-service-deprecated': ['true'],
  'x-service-deprecated-replacement': 'text',
  'x-service-web-search-status': WEB_SEARCH_STATUSES,
  'x-retry-count': 'number',
  'x-pagination-limit': 'number',
  'x-pagination-page': 'number',
  'x-pagination-total': 'number',
  'x-pagination-total-pages': 'number',
  'x-next-cursor': 'text',
  'Content-Encoding': ['br', 'gzip'],
  'Content-Disposition': 'text',
  'x-service-is-blurred': FLAG,
  'x-service-is-content-violation': FLAG,
  'x-service-is-adult-model-content-violation': FLAG,
  'x-service-enhanced-prompt': 'text',
  'x-service-control-instance': 'text',
  'x-service-audio-format': 'text',
  'x-service-inference-time': 'number',
  'X-Service-RPC-Credits': 'number',
  'X-Service-RPC-Cost-USD': 'dollars',
  'X-Request-ID': 'text',
  'Idempotent-Replayed': ['true'],
  'X-RateLimit-Limit': 'number',
  'X-RateLimit-Remaining': 'number',
  'X-RateLimit-Reset': 'number',
  Deprecation: 'text',
  Sunset: 'text',
  Link: 'text',
} as const satisfies Record<string, HeaderForm>

export type ReplyHeader = keyof typeof REPLY_HEADERS

// In lower case, as browsers list headers.
export const REQUEST_ID_HEADER = 'cf-ray'
// Client's own id of a request, by which the web app finds the charge of an answer that it never received.
export const REQUEST_NAME_HEADER = 'x-service-request-name'
// Address of the client, set by the server in front; a client's own value is dropped.
export const CLIENT_ADDRESS_HEADER = 'x-service-client-address'
// Canonical name first. Source: API contract, x402.md 1.
export const SIGN_IN_HEADERS = ['SIGN-IN-WITH-X', 'X-Sign-In-With-X'] as const

export function signInHeader(headers: Headers): string | undefined {
  for (const name of SIGN_IN_HEADERS) {
    const value = headers.get(name)
    if (value !== null) return value
  }
}

// Canonical name first. Each accepts every form of payment. Source: API contract, x402.md 1.
export const PAYMENT_HEADERS = ['PAYMENT-SIGNATURE', 'X-402-Payment', 'X-PAYMENT'] as const
export const SHARE_SECRET_HEADER = 'x-share-secret'
