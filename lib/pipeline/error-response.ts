import 'server-only'
import { ApiError, type Issue } from '@/lib/contract/errors'
import { isOutage, isPassing, OUTAGE_RETRY_SECONDS } from '@/lib/db/outage'
import { log, logSparingly } from '@/lib/kernel/log'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Reply } from '@/lib/pipeline/reply'
import { EngineError, type EngineFailure } from '@/lib/services/engines/engine'

type DetailTree = { _errors: string[]; [field: string]: DetailTree | string[] }

const MAX_ISSUES = 20

const ENGINE_CODES = {
  'invalid-request': 'INVALID_REQUEST',
  'context-overflow': 'context_length_exceeded',
  'content-policy': 'CONTENT_POLICY_VIOLATION',
  overloaded: 'MODEL_OVERLOADED',
  'at-capacity': 'MODEL_AT_CAPACITY',
  offline: 'MODEL_OFFLINE',
  timeout: 'REQUEST_TIMEOUT',
  failed: 'INFERENCE_FAILED',
} as const satisfies Record<EngineFailure, ApiError['code']>

/**
 * Converts anything thrown into the caller's error. Unknown errors are logged and never shown; database outages are
 * recognised here, so that no endpoint catches them.
 */
export function toApiError(thrown: unknown, context: RequestContext): ApiError {
  if (thrown instanceof ApiError) {
    noteCause(thrown, context)
    return thrown
  }
  if (thrown instanceof EngineError) {
    const code = ENGINE_CODES[thrown.reason]
    if (code === 'INFERENCE_FAILED') log().warn({ id: context.id, err: thrown.cause ?? thrown }, 'engine failed')
    return new ApiError(code, thrown.message, { cause: thrown, retryAfterSeconds: retryAfter(thrown) })
  }
  if (isPassing(thrown)) {
    const message = 'The service cannot reach its database at the moment. Try again in a few seconds.'
    const error = new ApiError('SERVICE_UNAVAILABLE', message, {
      cause: thrown,
      retryAfterSeconds: OUTAGE_RETRY_SECONDS,
    })
    noteCause(error, context)
    return error
  }
  log().error({ id: context.id, path: context.path, err: thrown }, 'unexpected error')
  return new ApiError('UNKNOWN_ERROR', 'Something went wrong on our side; try again.', { cause: thrown })
}

function noteCause({ code, status, cause }: ApiError, { id, path }: RequestContext): void {
  if (status < 500 || cause === undefined || isOutage(cause)) return
  logSparingly(`cause ${code}`, { id, path, code, err: cause }, 'a request failed')
}

export function errorReply(error: ApiError): Reply {
  const headers: Record<string, string> = { ...error.headers }
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(Math.ceil(error.retryAfterSeconds))
  return { status: error.status, body: JSON.stringify(errorBody(error)), contentType: 'application/json', headers }
}

export function streamError(error: ApiError): string {
  const type = error.status >= 500 ? 'server_error' : error.status === 400 ? 'invalid_request_error' : 'api_error'
  const retry = error.retryAfterSeconds === undefined ? {} : { retry_after: error.retryAfterSeconds }
  return JSON.stringify({ error: { message: error.message, type, code: error.code, param: null, ...retry } })
}

function errorBody(error: ApiError): unknown {
  if (error.body !== undefined) return error.body
  if (error.code === 'context_length_exceeded') {
    return { error: { message: error.message, type: 'invalid_request_error', param: 'messages', code: error.code } }
  }
  const code = error.code === 'REQUEST_TIMEOUT_BODY' ? 'REQUEST_TIMEOUT' : error.code
  if (!error.issues) return { error: error.message, code }
  const issues = error.issues.slice(0, MAX_ISSUES)
  return { error: error.message, code, details: detailTree(issues), issues }
}

function detailTree(issues: Issue[]): DetailTree {
  const root: DetailTree = { _errors: [] }
  for (const { path, message } of issues) {
    let node = root
    for (const step of path) {
      // A caller's own key may be called `_errors` or `__proto__`; neither may become part of our tree.
      const key = String(step) === '_errors' || String(step) === '__proto__' ? `${step}_` : String(step)
      const next = Object.hasOwn(node, key) ? (node[key] as DetailTree) : { _errors: [] }
      node[key] = next
      node = next
    }
    node._errors.push(message)
  }
  return root
}

const BUSY_RETRY_SECONDS = 5

/** Tells a caller to try again in a moment: too much is being read or made now. */
export const busyError = (cause: Error, message = cause.message): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: BUSY_RETRY_SECONDS })

function retryAfter(error: EngineError): number | undefined {
  if (error.retryAfterSeconds !== undefined) return error.retryAfterSeconds
  // Contract 6: 429 from overload, default 30 s.
  return error.reason === 'overloaded' ? 30 : error.reason === 'at-capacity' ? 5 : undefined
}
