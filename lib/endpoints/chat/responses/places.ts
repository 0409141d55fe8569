import { ApiError } from '@/lib/contract/errors'
import { EngineError } from '@/lib/services/engines/engine'

export type Place = (string | number)[]

/**
 * Where a chat request has what the caller wrote elsewhere: the beginning of a path in the chat request, joined by dots →
 * the beginning of the same path in the caller's own body.
 */
export type Places = Map<string, Place>

/** Fields that go by another name or stand elsewhere in every request. */
export const FIELD_PLACES: readonly [string, Place][] = [
  ['messages', ['input']],
  ['max_completion_tokens', ['max_output_tokens']],
  ['response_format', ['text', 'format']],
  ['response_format.json_schema', ['text', 'format']],
  ['verbosity', ['text', 'verbosity']],
]

/**
 * What went wrong, in terms of the body that the caller sent: every check of a chat completion names a place in its
 * `messages`, and this caller wrote `input`.
 */
export function inCallersTerms(thrown: unknown, places: Places): unknown {
  const isOverflow =
    (thrown instanceof ApiError && thrown.code === 'context_length_exceeded') ||
    (thrown instanceof EngineError && thrown.reason === 'context-overflow')
  if (isOverflow) return contextOverflow(thrown)
  if (!(thrown instanceof ApiError && thrown.issues)) return thrown
  const { retryAfterSeconds, headers, body, cause } = thrown
  const issues = thrown.issues.map((issue) => ({ ...issue, path: placeOf(issue.path, places) }))
  return new ApiError(thrown.code, thrown.message, { retryAfterSeconds, headers, body, cause, issues })
}

/** The longest beginning that is known, moved; the rest of the path stays. */
export function placeOf(path: Place, places: Places): Place {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(path.slice(0, length).join('.'))
    if (place) return [...place, ...path.slice(length)]
  }
  return path
}

/** Contract, README 7.1 E3, with the name that the conversation has here. */
function contextOverflow(cause: ApiError | EngineError): ApiError {
  const code = 'context_length_exceeded'
  const { message } = cause
  return new ApiError(code, message, {
    cause,
    body: { error: { message, type: 'invalid_request_error', param: 'input', code } },
  })
}
