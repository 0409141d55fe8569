import { ApiError } from '@/lib/contract/errors'
import { EngineError } from '@/lib/services/engines/engine'

export type Place = (string | number)[]

/** Maps path prefixes of the chat request (joined by dots) to those of the caller's own body. */
export type Places = Map<string, Place>

export const FIELD_PLACES: readonly [string, Place][] = [
  ['messages', ['input']],
  ['max_completion_tokens', ['max_output_tokens']],
  ['response_format', ['text', 'format']],
  ['response_format.json_schema', ['text', 'format']],
  ['verbosity', ['text', 'verbosity']],
]

/** Translates an error about the chat request into the terms of the caller's body. */
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

export function placeOf(path: Place, places: Places): Place {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(path.slice(0, length).join('.'))
    if (place) return [...place, ...path.slice(length)]
  }
  return path
}

/** Source: API contract, README 7.1 E3. */
function contextOverflow(cause: ApiError | EngineError): ApiError {
  const code = 'context_length_exceeded'
  const { message } = cause
  return new ApiError(code, message, {
    cause,
    body: { error: { message, type: 'invalid_request_error', param: 'input', code } },
  })
}
