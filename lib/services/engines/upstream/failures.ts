import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import { EngineError, type EngineFailure } from '@/lib/services/engines/engine'
import { isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

const MAX_RETRY_AFTER_SECONDS = 3_600

export type Retry = 'anywhere' | 'elsewhere' | 'never'

type Options = {
  retry?: Retry
  isServerFault?: boolean
  retryAfterSeconds?: number
  status?: number
  cause?: unknown
}

/** A failed attempt at one base URL. Its message holds nothing that the upstream said, except for a cleaned 400. */
export class UpstreamError extends EngineError {
  override name = 'UpstreamError'
  readonly retry: Retry
  readonly isServerFault: boolean
  readonly status?: number

  constructor(reason: EngineFailure, message: string, options: Options = {}) {
    super(reason, message, options)
    this.retry = options.retry ?? 'never'
    this.isServerFault = options.isServerFault ?? false
    this.status = options.status
  }
}

const SERVER_FAULT = { retry: 'anywhere', isServerFault: true } as const
const OVERFLOW =
  /context[_ -]?(length|window|size|overflow)|(available|maximum|exceeds?( the)?) context|max(imum)? (model |sequence |prompt )?len|prompt is too long|too many (input |prompt )?tokens|exceed_context|token count .{0,40}exceeds|max_new_tokens. must be|reduce the length of the (messages|prompt)|when context the overflows/i
const REFUSALS = new Set([400, 413, 415, 422])
const CONTENT_POLICY = /content_(policy|filter)|moderation_blocked|responsible_?ai/i
const OVERLOADED = /rate_?limit|overloaded|too many requests|insufficient_quota|capacity/i

/** What is wrong with the operator's account there, which some vendors report as a bad request. */
const OPERATOR_FAULT =
  /credit balance is too low|api key (is )?(not valid|expired)|api key expired|location is not supported/i

const NO_SUCH_MEDIA = /(image|audio|video) input is not supported|multimodal .{0,40}not (supported|enabled)/i
const TOO_LARGE = 'This request is too large for the model. Send fewer or smaller files, or less text.'

export function connectionError(error: unknown): UpstreamError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isUnreachable = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT|CERT|TLS|SSL/.test(
    code,
  )
  return isUnreachable
    ? new UpstreamError('offline', 'The model cannot be reached at the moment. Try again later.', {
        ...SERVER_FAULT,
        cause: error,
      })
    : new UpstreamError('failed', 'The connection to the model broke. Try again.', { ...SERVER_FAULT, cause: error })
}

export type AwaitedPart = 'first token' | 'next token' | 'answer'

export function silenceError(awaited: AwaitedPart, cause: unknown): UpstreamError {
  return new UpstreamError('timeout', `The model did not send its ${awaited} in time. Try again, with stream=true.`, {
    retry: 'elsewhere',
    isServerFault: true,
    cause,
  })
}

export function garbageError(cause: unknown): UpstreamError {
  return new UpstreamError('failed', 'The model sent an answer that cannot be read. Try again.', {
    ...SERVER_FAULT,
    // A parser's message quotes the text that it could not read: an answer, which no log may hold.
    cause: cause instanceof SyntaxError ? new Error('not JSON') : cause,
  })
}

export function statusError(status: number, headers: IncomingHttpHeaders, body: string, secrets: string[]) {
  const error = parseError(body)
  return classify(status, error, secrets, retryAfter(headers['retry-after'] ?? retryDelay(error)))
}

export function streamError(value: unknown, secrets: string[]): UpstreamError {
  const error = isWireObject(value) && isWireObject(value.error) ? value.error : value
  const fields = isWireObject(error) ? error : { message: textOrUndefined(error) }
  const status = [fields.code, fields.status, isWireObject(value) ? value.code : undefined].find(isHttpError)
  return classify(status ?? statusOf(fields), fields, secrets, undefined)
}

const isHttpError = (value: unknown): value is number => typeof value === 'number' && value >= 400 && value <= 599

function statusOf(error: WireObject): number {
  const kind = `${error.code} ${error.type}`
  if (OVERLOADED.test(kind)) return 429
  if (/timeout_error/.test(kind)) return 504
  return /invalid_request|BadRequest/i.test(kind) || CONTENT_POLICY.test(kind) || isOverflow(error) ? 400 : 500
}

const isOverflow = (error: WireObject) => OVERFLOW.test(`${error.code} ${error.type} ${error.message}`)

function classify(status: number, error: WireObject, secrets: string[], retryAfterSeconds?: number): UpstreamError {
  const kind = [error.code, error.type, error.status].map(textOrUndefined).filter(Boolean).join(' ').slice(0, 100)
  const cause = { status, kind: cleanMessage(kind, secrets) }
  const fail = (reason: EngineFailure, message: string, options: Options = {}) =>
    new UpstreamError(reason, message, { retryAfterSeconds, status, cause, ...options })
  // Some servers call a prompt that is too long a fault of their own.
  if ((status === 500 || REFUSALS.has(status)) && isOverflow(error)) {
    const detail = cleanMessage(textOrUndefined(error.message) ?? '', secrets)
    return fail(
      'context-overflow',
      `The prompt and the answer do not fit the model's context.${detail && ` ${detail}`}`,
    )
  }
  if (status >= 500 && NO_SUCH_MEDIA.test(`${error.message}`)) {
    return fail('invalid-request', 'The model refused this request: it does not accept images, audio or video.')
  }
  if (REFUSALS.has(status) && !OPERATOR_FAULT.test(`${error.message}`)) {
    if (CONTENT_POLICY.test(kind)) return fail('content-policy', 'The model refused this content.')
    if (status === 413) return fail('invalid-request', TOO_LARGE)
    const detail = status === 400 || status === 415 ? cleanMessage(textOrUndefined(error.message) ?? '', secrets) : ''
    return fail(
      'invalid-request',
      detail === '' ? 'The model refused this request.' : `The model refused this request: ${detail}`,
    )
  }
  if (status === 429 || status === 529) {
    return fail('overloaded', 'The model is busy. Try again later.', { retry: 'elsewhere' })
  }
  if (status === 404) return fail('offline', 'The model is not available at the moment.', { retry: 'elsewhere' })
  if (status === 408 || status === 504 || status === 524)
    return fail('timeout', 'The model took too long. Try again.', SERVER_FAULT)
  if (status === 502 || status === 503)
    return fail('offline', 'The model is not available at the moment.', SERVER_FAULT)
  if (status >= 500 && status !== 501) return fail('failed', 'The model failed to answer. Try again.', SERVER_FAULT)
  // 401, 402 and 403 are about the operator's account there, never about the caller.
  return fail('failed', 'The model cannot be used at the moment.')
}

/** Reads the error object in the shapes of the field: `{error: {…}}`, `{error: "…"}`, `{message}`, `{detail}`. */
function parseError(body: string): WireObject {
  try {
    const value: unknown = JSON.parse(body)
    if (!isWireObject(value)) return {}
    if (isWireObject(value.error)) return value.error
    const detail = Array.isArray(value.detail) && isWireObject(value.detail[0]) ? value.detail[0].msg : value.detail
    return {
      ...value,
      message: textOrUndefined(value.error) ?? textOrUndefined(value.message) ?? textOrUndefined(detail),
    }
  } catch {
    // Not JSON: the status alone has to say it.
    return {}
  }
}

/** Reads Google's hint when to come back, `{details: [{retryDelay: "34.4s"}]}`, as the header's seconds. */
function retryDelay({ details }: WireObject): string | undefined {
  const delays = Array.isArray(details) ? details.map((detail) => isWireObject(detail) && detail.retryDelay) : []
  const [, seconds] = /^(\d{1,9})(\.\d+)?s$/.exec(String(delays.find(Boolean))) ?? []
  return seconds && String(Number(seconds) + 1)
}

function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return seconds > 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : undefined
}

const MAX_CHARACTERS = 300
const MAX_LOOKED_AT = 1_200
const MAX_WORD_CHARACTERS = 40

const PRIVATE = [
  /:\/\//,
  /@[^@]*\./,
  /\b(sk|pk|rk|org|key|proj|acct)[-_]\w/i,
  /\b(api[-_]?key|token|secret|password|authorization)["']?[:=]./i,
  /\d+\.\d+\.\d+\.\d+/,
  /:[\da-f]*:[\da-f]*:/i,
  /\.[a-z]{2,}:\d/i,
  /\blocalhost\b/i,
  /\/.*\/.*\//,
]
const ANNOUNCES = /(bearer|basic|(api[-_]?key|token|secret|password|authorization)["']?[:=])$/i

/**
 * Cleans an upstream's words for a caller: `secrets` and words that look like an address or a credential, or are too
 * long for a word, become "…"; controls and runs of blanks one blank; the end is cut.
 */
export function cleanMessage(text: string, secrets: string[]): string {
  let plain = text
  for (const secret of secrets) if (secret !== '') plain = plain.replaceAll(secret, '…')
  let before = ''
  const texts: string[] = []
  for (const word of plain.slice(0, MAX_LOOKED_AT).split(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/u)) {
    if (word === '') continue
    texts.push(isPrivate(word) || ANNOUNCES.test(before) ? '…' : word)
    before = word.slice(-MAX_WORD_CHARACTERS)
  }
  const clean = texts.join(' ')
  return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS)}…` : clean
}

const isPrivate = (word: string): boolean =>
  word.length > MAX_WORD_CHARACTERS || PRIVATE.some((pattern) => pattern.test(word))
