import { type HeaderForm, REPLY_HEADERS, type ReplyHeader } from '@/lib/contract/headers'
import type { Access } from '@/lib/contract/reference'
import type { HeaderFamily } from '@/lib/endpoints/docs/openapi/operation'

type Header = { description: string; schema: Record<string, unknown> }

type Descriptions = Partial<Record<ReplyHeader, string>>

const COMMON: Descriptions = {
  'CF-RAY': 'The id of this request. Name it when you ask for help.',
  'x-service-version': 'The running build, `YYYYMMDD.HHMMSS`.',
  'x-service-timestamp': 'When the reply was made, where the operator has it sent.',
  'x-service-middleface-version': "The client's own header of this name, said again.",
  'x-service-mobile-version': "The client's own header of this name, said again.",
  'x-service-request-timestamp-ms': "The client's own header of this name, said again.",
}

const RATE: Descriptions = {
  'x-ratelimit-limit-requests': 'Requests that the window holds.',
  'x-ratelimit-remaining-requests': 'Requests that are left in the window.',
  'x-ratelimit-reset-requests': 'When the window of requests begins anew, in Unix seconds.',
  'x-ratelimit-limit-tokens': 'Tokens that the window holds.',
  'x-ratelimit-remaining-tokens': 'Tokens that are left in the window.',
  'x-ratelimit-reset-tokens': 'Seconds until the window of tokens begins anew.',
}

const BALANCE: Descriptions = {
  'x-service-balance-usd': 'Credit in dollars before this request.',
  'x-service-balance-diem': 'Daily credit before this request.',
}

const REMAINING: Descriptions = {
  'X-Balance-Remaining': "A wallet's credit after the request; in a stream, as it was when the stream began.",
}

const PAYMENT: Descriptions = {
  'PAYMENT-RESPONSE': 'The settlement: base64 of JSON.',
  'X-PAYMENT-RESPONSE': 'The same, for a client that sent `X-PAYMENT`.',
}

const FAMILIES: Record<HeaderFamily, Descriptions> = {
  model: {
    'x-service-model-id': 'The model that answered.',
    'x-service-model-name': 'Its name.',
    'x-service-model-router': 'Which backend had the request, where it is known.',
    'x-service-model-deprecation-warning': 'The model will be retired.',
    'x-service-model-deprecation-date': 'When the model will be retired.',
    'x-service-deprecated': 'The model that was named is retired.',
    'x-service-deprecated-replacement': 'The model that took its place.',
    'x-retry-count': 'How often a backend was asked again.',
  },
  web: {
    'x-service-web-search-status':
      'How the web step ended, where the request asked for one: `not_needed` where `auto` decided against it. Of a stream, where it is known when the stream begins.',
  },
  pagination: {
    'x-pagination-limit': 'Rows of a page.',
    'x-pagination-page': 'This page, from 1.',
    'x-pagination-total': 'Rows in all.',
    'x-pagination-total-pages': 'Pages in all.',
  },
  image: {
    'x-service-is-blurred': 'A picture was blurred.',
    'x-service-is-content-violation': 'A model refused what a picture would show.',
    'x-service-is-adult-model-content-violation': 'Always `false`.',
    'x-service-enhanced-prompt': 'The prompt as it was rewritten, URL-encoded.',
  },
  instance: { 'x-service-control-instance': 'The machine that made the image.' },
  rpc: {
    'X-Service-RPC-Credits': 'Credits that the request took.',
    'X-Service-RPC-Cost-USD': 'What they cost.',
    'X-Request-ID': 'The request, as the ledger names it.',
    'Idempotent-Replayed': 'The reply is that of an earlier request.',
    'X-RateLimit-Limit': 'Where a limit of this proxy is reached: what it holds.',
    'X-RateLimit-Remaining': 'What is left of it.',
    'X-RateLimit-Reset': 'When it begins anew.',
    'x-retry-count': 'How often a node was asked again.',
  },
  compressed: {
    'Content-Encoding': 'How the reply was compressed.',
  },
  file: { 'Content-Disposition': 'The name of the file, of a reply as CSV.' },
  cursor: { 'x-next-cursor': 'The cursor of the next page, of a reply as CSV.' },
  audio: {
    'x-service-audio-format': 'The format of the file.',
    'x-service-inference-time': 'Milliseconds that the work took.',
  },
  payment: {
    ...PAYMENT,
    'X-Balance-Remaining': "The wallet's credit after the payment.",
  },
  deprecated: {
    'x-ratelimit-remaining': 'What is left of the limit of this address.',
    'x-ratelimit-resets': 'When that begins anew, in milliseconds.',
    Deprecation: 'Since when this address is not to be used any more.',
    Sunset: 'When it will be gone, where that is decided.',
    Link: 'What came after it.',
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
  'x-service-host-name': 'Which machine answered.',
  'Retry-After': 'Seconds to wait before the next try; on 429 and 503.',
  'x-ratelimit-type': 'Whose limit it was: `user`, `api_key` or `global`.',
  'PAYMENT-REQUIRED': 'How to pay: base64 of JSON; on 402.',
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

/** Lists the headers of an error: facts that are known of the caller and the work come with it. */
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
