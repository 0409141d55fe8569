import type { Access } from '@/lib/contract/docs'
import { type HeaderForm, REPLY_HEADERS, type ReplyHeader } from '@/lib/contract/headers'
import type { HeaderFamily } from '@/lib/endpoints/docs/openapi/operation'

type Header = { description: string; schema: Record<string, unknown> }

type Descriptions = Partial<Record<ReplyHeader, string>>

const COMMON: Descriptions = {
  'CF-RAY': 'ID of the request. Include it in support requests.',
  'x-service-version': 'Version of the running build, `YYYYMMDD.HHMMSS`.',
  'x-service-timestamp': 'Time of the response, if the operator enables it.',
  'x-service-middleface-version': "Echo of the client's header with the same name.",
  'x-service-mobile-version': "Echo of the client's header with the same name.",
  'x-service-request-timestamp-ms': "Echo of the client's header with the same name.",
}

const RATE: Descriptions = {
  'x-ratelimit-limit-requests': 'Maximum number of requests in the window.',
  'x-ratelimit-remaining-requests': 'Remaining requests in the window.',
  'x-ratelimit-reset-requests': 'Reset time of the request window, in Unix seconds.',
  'x-ratelimit-limit-tokens': 'Maximum number of tokens in the window.',
  'x-ratelimit-remaining-tokens': 'Remaining tokens in the window.',
  'x-ratelimit-reset-tokens': 'Seconds until the token window resets.',
}

const BALANCE: Descriptions = {
  'x-service-balance-usd': 'Credit in US dollars before this request.',
  'x-service-balance-diem': 'Daily credit before this request.',
}

const REMAINING: Descriptions = {
  'X-Balance-Remaining': 'Credit of the wallet after the request; in a stream, at the start of the stream.',
}

const PAYMENT: Descriptions = {
  'PAYMENT-RESPONSE': 'Settlement of the payment as base64-encoded JSON.',
  'X-PAYMENT-RESPONSE': 'Same as `PAYMENT-RESPONSE`, for clients that send `X-PAYMENT`.',
}

const FAMILIES: Record<HeaderFamily, Descriptions> = {
  model: {
    'x-service-model-id': 'ID of the model used.',
    'x-service-model-name': 'Name of the model used.',
    'x-service-model-router': 'Backend that processed the request, if known.',
    'x-service-model-deprecation-warning': 'Notice that the model will be retired.',
    'x-service-model-deprecation-date': 'Retirement date of the model.',
    'x-service-deprecated': 'Notice that the requested model is retired.',
    'x-service-deprecated-replacement': 'ID of the replacement model.',
    'x-retry-count': 'Number of retries at a backend.',
  },
  web: {
    'x-service-web-search-status':
      'Outcome of web access, if requested; `not_needed` if `auto` decided against it. In a stream, if known when the stream begins.',
  },
  pagination: {
    'x-pagination-limit': 'Number of rows per page.',
    'x-pagination-page': 'Page number, from 1.',
    'x-pagination-total': 'Total number of rows.',
    'x-pagination-total-pages': 'Total number of pages.',
  },
  image: {
    'x-service-is-blurred': 'Always `false`: the service does not blur images.',
    'x-service-is-content-violation': '`true` if a model rejected the content of an image.',
    'x-service-is-adult-model-content-violation': 'Always `false`.',
    'x-service-enhanced-prompt': 'Rewritten prompt, URL-encoded.',
  },
  instance: { 'x-service-control-instance': 'Machine that generated the image.' },
  rpc: {
    'X-Service-RPC-Credits': 'Credits charged for the request.',
    'X-Service-RPC-Cost-USD': 'Cost of the credits in US dollars.',
    'X-Request-ID': 'ID of the request in the ledger.',
    'Idempotent-Replayed': '`true` if the response is a replay of an earlier one.',
    'X-RateLimit-Limit': 'Limit of this proxy that was reached.',
    'X-RateLimit-Remaining': 'Remaining amount of the limit.',
    'X-RateLimit-Reset': 'Reset time of the limit.',
    'x-retry-count': 'Number of retries at a node.',
  },
  compressed: {
    'Content-Encoding': 'Compression of the response.',
  },
  file: { 'Content-Disposition': 'File name of a CSV response.' },
  cursor: { 'x-next-cursor': 'Cursor of the next page of a CSV response.' },
  audio: {
    'x-service-audio-format': 'Format of the audio file.',
    'x-service-inference-time': 'Inference time in milliseconds.',
  },
  payment: {
    ...PAYMENT,
    'X-Balance-Remaining': 'Credit of the wallet after the payment.',
  },
  deprecated: {
    'x-ratelimit-remaining': 'Remaining amount of the limit of this endpoint.',
    'x-ratelimit-resets': 'Reset time of the limit, in Unix milliseconds.',
    Deprecation: 'Date since which the endpoint is deprecated.',
    Sunset: 'Date of removal of the endpoint, if decided.',
    Link: 'Replacement of the endpoint.',
  },
}

const BY_ACCESS: Record<Access, Descriptions> = {
  paid: { ...RATE, ...BALANCE, ...REMAINING, ...PAYMENT },
  key: { ...RATE, ...BALANCE },
  admin: { ...RATE, ...BALANCE },
  wallet: { ...RATE, ...BALANCE, ...REMAINING },
  optional: { ...RATE, ...BALANCE },
  none: RATE,
}

const ERROR: Descriptions = {
  'x-service-host-name': 'Machine that responded.',
  'Retry-After': 'Seconds to wait before a retry, on 429 and 503.',
  'x-ratelimit-type': 'Scope of the limit: `user`, `api_key` or `global`.',
  'PAYMENT-REQUIRED': 'Payment terms as base64-encoded JSON, on 402.',
}

const DESCRIBED: Descriptions = Object.assign({}, COMMON, RATE, BALANCE, REMAINING, ...Object.values(FAMILIES), ERROR)

export const HEADERS: Record<string, Header> = Object.fromEntries(
  Object.entries(DESCRIBED).map(([name, description]) => [
    name,
    { description, schema: schemaOf(name as ReplyHeader) },
  ]),
)

function schemaOf(name: ReplyHeader): Header['schema'] {
  const form: HeaderForm = REPLY_HEADERS[name]
  if (typeof form !== 'string') return form.length === 1 ? { const: form[0] } : { type: 'string', enum: [...form] }
  if (form === 'date-time') return { type: 'string', format: form }
  if (form === 'dollars') return { type: 'string', pattern: '^-?\\d+\\.\\d+$' }
  return { type: form === 'number' ? 'number' : 'string' }
}

type References = Record<string, { $ref: string }>

const referencesTo = (...families: Descriptions[]): References =>
  Object.fromEntries(
    families.flatMap(Object.keys).map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  )

export const headersOfReply = (access: Access, families: readonly HeaderFamily[] = []): References =>
  referencesTo(COMMON, BY_ACCESS[access], ...families.map((family) => FAMILIES[family]))

export function headersOfError(status: number, access: Access, families: readonly HeaderFamily[]): References {
  const { 'Retry-After': retry, 'x-ratelimit-type': type, 'PAYMENT-REQUIRED': required, ...always } = ERROR
  return referencesTo(
    COMMON,
    always,
    BY_ACCESS[access],
    // What is paid for, and what tells its price, has resolved a model.
    access === 'paid' || access === 'none' ? FAMILIES.model : {},
    ...families.map((family) => FAMILIES[family]),
    status === 429 || status === 503 || status === 409 ? { 'Retry-After': retry } : {},
    status === 429 ? { 'x-ratelimit-type': type } : {},
    status === 402 ? { 'PAYMENT-REQUIRED': required } : {},
  )
}

const ON_ERRORS: ReadonlySet<HeaderFamily> = new Set<HeaderFamily>(['rpc', 'deprecated'])

export const familiesOfErrors = (families: readonly HeaderFamily[] = []): HeaderFamily[] =>
  families.filter((family) => ON_ERRORS.has(family))
