import { WEB_SEARCH_STATUSES } from '@/lib/contract/chat.schema'
import type { Access } from '@/lib/contract/reference'
import type { HeaderFamily } from '@/lib/endpoints/docs/openapi/operation'

type Header = { description: string; schema: Record<string, unknown> }

const text = (description: string): Header => ({ description, schema: { type: 'string' } })
const number = (description: string): Header => ({ description, schema: { type: 'number' } })
const flag = (description: string): Header => ({ description, schema: { type: 'string', enum: ['true', 'false'] } })
const moment = (description: string): Header => ({ description, schema: { type: 'string', format: 'date-time' } })
const dollars = (description: string): Header => ({
  description,
  schema: { type: 'string', pattern: '^-?\\d+\\.\\d+$' },
})

/** The names as `lib/pipeline/headers.ts` writes them. Source: API contract, README 6. */
const COMMON = {
  'CF-RAY': text('The id of this request. Name it when you ask for help.'),
  'x-service-version': text('The running build, `YYYYMMDD.HHMMSS`.'),
  'x-service-timestamp': moment('When the reply was made, where the operator has it sent.'),
  'x-service-middleface-version': text("The client's own header of this name, said again."),
  'x-service-mobile-version': text("The client's own header of this name, said again."),
  'x-service-request-timestamp-ms': number("The client's own header of this name, said again."),
}

const RATE = {
  'x-ratelimit-limit-requests': number('Requests that the window holds.'),
  'x-ratelimit-remaining-requests': number('Requests that are left in the window.'),
  'x-ratelimit-reset-requests': number('When the window of requests begins anew, in Unix seconds.'),
  'x-ratelimit-limit-tokens': number('Tokens that the window holds.'),
  'x-ratelimit-remaining-tokens': number('Tokens that are left in the window.'),
  'x-ratelimit-reset-tokens': number('Seconds until the window of tokens begins anew.'),
}

const BALANCE = {
  'x-service-balance-usd': dollars('Credit in dollars before this request.'),
  'x-service-balance-diem': dollars('Daily credit before this request.'),
}

const REMAINING = {
  'X-Balance-Remaining': dollars("A wallet's credit after the request; in a stream, as it was when the stream began."),
}

/** Of a payment that came with the request. A version 1 client reads its own name for it. */
const PAYMENT = {
  'PAYMENT-RESPONSE': text('The settlement: base64 of JSON.'),
  'X-PAYMENT-RESPONSE': text('The same, for a client that sent `X-PAYMENT`.'),
}

const FAMILIES: Record<HeaderFamily, Record<string, Header>> = {
  model: {
    'x-service-model-id': text('The model that answered.'),
    'x-service-model-name': text('Its name.'),
    'x-service-model-router': text('Which backend had the request, where it is known.'),
    'x-service-model-deprecation-warning': text('The model will be retired.'),
    'x-service-model-deprecation-date': moment('When the model will be retired.'),
    'x-service-deprecated': { description: 'The model that was named is retired.', schema: { const: 'true' } },
    'x-service-deprecated-replacement': text('The model that took its place.'),
    'x-retry-count': number('How often a backend was asked again.'),
  },
  web: {
    'x-service-web-search-status': {
      description:
        'How the web step ended, where the request asked for one: `not_needed` where `auto` decided against it. Of a stream, where it is known when the stream begins.',
      schema: { type: 'string', enum: [...WEB_SEARCH_STATUSES] },
    },
  },
  pagination: {
    'x-pagination-limit': number('Rows of a page.'),
    'x-pagination-page': number('This page, from 1.'),
    'x-pagination-total': number('Rows in all.'),
    'x-pagination-total-pages': number('Pages in all.'),
  },
  image: {
    'x-service-is-blurred': flag('A picture was blurred.'),
    'x-service-is-content-violation': flag('A model refused what a picture would show.'),
    'x-service-is-adult-model-content-violation': flag('Always `false`.'),
    'x-service-enhanced-prompt': text('The prompt as it was rewritten, URL-encoded.'),
  },
  instance: { 'x-service-control-instance': text('Which machine made the picture.') },
  rpc: {
    'X-Service-RPC-Credits': number('Credits that the request took.'),
    'X-Service-RPC-Cost-USD': dollars('What they cost.'),
    'X-Request-ID': text('The request, as the ledger names it.'),
    'Idempotent-Replayed': { description: 'The reply is that of an earlier request.', schema: { const: 'true' } },
    'X-RateLimit-Limit': number('Where a limit of this proxy is reached: what it holds.'),
    'X-RateLimit-Remaining': number('What is left of it.'),
    'X-RateLimit-Reset': number('When it begins anew.'),
    'x-retry-count': number('How often a node was asked again.'),
  },
  compressed: {
    'Content-Encoding': { description: 'How the reply was compressed.', schema: { enum: ['br', 'gzip'] } },
  },
  file: { 'Content-Disposition': text('The name of the file, of a reply as CSV.') },
  cursor: { 'x-next-cursor': text('The cursor of the next page, of a reply as CSV.') },
  audio: {
    'x-service-audio-format': text('The format of the file.'),
    'x-service-inference-time': number('Milliseconds that the work took.'),
  },
  payment: {
    ...PAYMENT,
    'X-Balance-Remaining': dollars("The wallet's credit after the payment."),
  },
  deprecated: {
    'x-ratelimit-remaining': number('What is left of the limit of this address.'),
    'x-ratelimit-resets': number('When that begins anew, in milliseconds.'),
    Deprecation: text('Since when this address is not to be used any more.'),
    Sunset: text('When it will be gone, where that is decided.'),
    Link: text('What came after it.'),
  },
}

const BY_ACCESS: Record<Access, Record<string, Header>> = {
  paid: { ...RATE, ...BALANCE, ...REMAINING, ...PAYMENT },
  key: { ...RATE, ...BALANCE },
  admin: { ...RATE, ...BALANCE },
  wallet: { ...RATE, ...BALANCE, ...REMAINING },
  optional: { ...RATE, ...BALANCE },
  none: RATE,
}

const ERROR = {
  'x-service-host-name': text('Which machine answered.'),
  'Retry-After': number('Seconds to wait before the next try; on 429 and 503.'),
  'x-ratelimit-type': text('Whose limit it was: `user`, `api_key` or `global`.'),
  'PAYMENT-REQUIRED': text('How to pay: base64 of JSON; on 402.'),
}

/** Every header of the document by its component's name. */
export const HEADERS: Record<string, Header> = Object.assign(
  {},
  COMMON,
  RATE,
  BALANCE,
  REMAINING,
  ...Object.values(FAMILIES),
  ERROR,
)

type References = Record<string, { $ref: string }>

const referencesTo = (...families: Record<string, Header>[]): References =>
  Object.fromEntries(
    families.flatMap(Object.keys).map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  )

/** The headers of a reply. */
export const headersOfReply = (access: Access, families: readonly HeaderFamily[] = []): References =>
  referencesTo(COMMON, BY_ACCESS[access], ...families.map((family) => FAMILIES[family]))

/** The headers of an error with this status: what is known of the caller and the work is told with it. */
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

/** Those that come with an error too. */
const ON_ERRORS: ReadonlySet<HeaderFamily> = new Set<HeaderFamily>(['rpc', 'deprecated'])

export const familiesOfErrors = (families: readonly HeaderFamily[] = []): HeaderFamily[] =>
  families.filter((family) => ON_ERRORS.has(family))
