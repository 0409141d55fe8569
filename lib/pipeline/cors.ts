/** Any origin may read replies: credentials travel in headers, never in cookies. Source: API contract 11. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
}

const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/
const MAX_HEADER_NAMES_CHARACTERS = 4_096

/**
 * Answers a preflight. Any requested header is allowed, since clients send their own (`x-stainless-…`) and without
 * cookies they grant nothing.
 */
export function preflightHeaders(requested: string | null): Record<string, string> {
  const isList = requested !== null && requested.length <= MAX_HEADER_NAMES_CHARACTERS && HEADER_NAMES.test(requested)
  if (!isList) return { ...PREFLIGHT_HEADERS }
  return { ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Headers': requested, Vary: 'Access-Control-Request-Headers' }
}

const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  ...CORS_HEADERS,
  'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE, OPTIONS',
  'Access-Control-Allow-Headers':
    'authorization, content-type, accept, accept-encoding, sign-in-with-x, x-sign-in-with-x, payment-signature, x-402-payment, x-payment, idempotency-key',
  'Access-Control-Max-Age': '86400',
}
