import 'server-only'
import { isUtf8 } from 'node:buffer'
import { ApiError } from '@/lib/contract/errors'
import { guardJson } from '@/lib/kernel/json-guard'

/**
 * The value of a JSON body.
 *
 * @throws ApiError INVALID_REQUEST 400 that says what is wrong with the text.
 */
export const parseJson = (bytes: Buffer): unknown => parseText(jsonText(bytes))

/**
 * The text of a JSON body that may be given to `parseText`: UTF-8 of bounded depth and number of values.
 *
 * @throws ApiError INVALID_REQUEST 400.
 */
export function jsonText(bytes: Buffer): string {
  if (bytes.byteLength === 0) throw syntax('The body is empty; send a JSON object.')
  if (!isUtf8(bytes)) throw syntax('The body is not valid UTF-8.')
  const fault = guardJson(bytes)
  if (fault) throw syntax(fault)
  return bytes.toString('utf8')
}

/** @throws ApiError INVALID_REQUEST 400 when it is not JSON. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw syntax(`The body is not valid JSON${place(cause)}.`, cause)
  }
}

/** Where the parser stopped, without repeating what stood there. */
function place(cause: unknown): string {
  const position = cause instanceof Error ? /position (\d+)/.exec(cause.message)?.[1] : undefined
  return position === undefined ? '' : ` (at position ${position})`
}

function syntax(message: string, cause?: unknown): ApiError {
  return new ApiError('INVALID_REQUEST', message, { cause, issues: [{ code: 'invalid_json', path: [], message }] })
}
