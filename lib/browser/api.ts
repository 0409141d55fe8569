import { ApiError, type ErrorCode, type Issue, STATUS } from '@/lib/contract/errors'
import { REQUEST_ID_HEADER } from '@/lib/contract/headers'
import { t } from '@/lib/i18n/t'

export const API_ROOT = '/api/v1'

const REPLY_TIMEOUT_MS = 20_000

const CODE_OF_STATUS: Record<number, ErrorCode> = {
  400: 'INVALID_REQUEST',
  401: 'AUTHENTICATION_FAILED',
  402: 'PAYMENT_REQUIRED',
  403: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  410: 'MODEL_RETIRED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'INVALID_CONTENT_TYPE',
  422: 'CONTENT_POLICY_VIOLATION',
  429: 'RATE_LIMIT_EXCEEDED',
  502: 'UPSTREAM_FAILED',
  503: 'SERVICE_UNAVAILABLE',
  504: 'REQUEST_TIMEOUT',
}

type ErrorBody = { error?: unknown; code?: unknown; message?: unknown; issues?: unknown }

/** @throws ApiError when the service answers with an error; TypeError or DOMException when it does not answer. */
export async function request(path: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(path, init)
  if (!response.ok) throw await errorOf(response)
  return response
}

/** Fetches JSON. @throws as `request` does. */
export async function fetchJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const deadline = AbortSignal.timeout(REPLY_TIMEOUT_MS)
  const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline
  return (await (await request(path, { ...init, signal })).json()) as T
}

/** Posts JSON; the caller reads the reply. @throws as `request` does. */
export function postJson(
  path: string,
  body: unknown,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  return request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: signal ?? null,
  })
}

export async function errorOf(response: Response): Promise<ApiError> {
  const body: ErrorBody = await response.json().catch(() => ({}))
  const inner = isRecord(body.error) ? body.error : undefined
  // Payment routes have the code in `error` and the words in `message` (contract, README 7: shape E8).
  const message = text(inner?.message) ?? text(body.message) ?? text(body.error)
  const requestId = response.headers.get(REQUEST_ID_HEADER)
  return new ApiError(
    knownCode(codeIn(body), response.status),
    message ?? t('The service returned {status}.', { status: String(response.status) }),
    {
      retryAfterSeconds: retryAfterSeconds(response.headers),
      ...(Array.isArray(body.issues) && { issues: body.issues as Issue[] }),
      ...(requestId && { headers: { [REQUEST_ID_HEADER]: requestId } }),
      body,
    },
  )
}

/** Tells whether the service itself said so, and not a proxy between: then it is done with the request. */
export function isFromService(error: unknown): boolean {
  return error instanceof ApiError && isRecord(error.body) && isCode(codeIn(error.body))
}

function codeIn({ error, code }: ErrorBody): unknown {
  return (isRecord(error) ? error.code : undefined) ?? code ?? error
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(STATUS, code)

export function knownCode(code: unknown, status: number): ErrorCode {
  if (isCode(code)) return code
  return CODE_OF_STATUS[status] ?? (status < 500 ? 'INVALID_REQUEST' : 'UNKNOWN_ERROR')
}

/** `Retry-After`, else what the rate-limit headers say: a Unix time for requests, seconds for tokens. */
function retryAfterSeconds(headers: Headers): number | undefined {
  const given = Number(headers.get('retry-after') ?? Number.NaN)
  if (Number.isFinite(given) && given >= 0) return given
  if (headers.get('x-ratelimit-remaining-requests') === '0') {
    const resetAt = Number(headers.get('x-ratelimit-reset-requests'))
    if (resetAt > 0) return Math.max(1, Math.ceil(resetAt - Date.now() / 1000))
  }
  return undefined
}

/** A reply as far as it can be relied on: an older service, or one that is broken, leaves fields out. */
export type Loose<T> = T extends readonly (infer E)[]
  ? Loose<E>[]
  : T extends object
    ? { [K in keyof T]?: Loose<T[K]> }
    : T

/** Asserts that JSON of our own service has the shape that the contract gives it; what is no object is an empty one. */
export function asReply<T extends object>(json: unknown): Loose<T> {
  return (isRecord(json) ? json : {}) as Loose<T>
}

/** Returns the objects of the list `data` of a reply, as `asReply` asserts them. */
export function asList<T extends object>(json: unknown): Loose<T>[] {
  const { data } = asReply<{ data: unknown[] }>(json)
  return Array.isArray(data) ? (data.filter(isRecord) as Loose<T>[]) : []
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
