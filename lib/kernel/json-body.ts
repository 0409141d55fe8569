import 'server-only'
import { isUtf8 } from 'node:buffer'
import { ApiError } from '@/lib/contract/errors'
import { guardJson } from '@/lib/kernel/json-guard'

/**
 * Parses a JSON body.
 *
 * @throws ApiError INVALID_REQUEST (400) naming the fault.
 */
export const parseJson = (bytes: Buffer): unknown => parseText(jsonText(bytes))

/**
 * Decodes a JSON body of bounded depth and size for `parseText`.
 *
 * @throws ApiError INVALID_REQUEST (400).
 */
export function jsonText(bytes: Buffer): string {
  if (bytes.byteLength === 0) throw syntax('The body is empty; send a JSON object.')
  if (!isUtf8(bytes)) throw syntax('The body is not valid UTF-8.')
  const fault = guardJson(bytes)
  if (fault) throw syntax(fault)
  return bytes.toString('utf8')
}

export function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw syntax(`The body is not valid JSON${place(cause)}.`, cause)
  }
}

function place(cause: unknown): string {
  const position = cause instanceof Error ? /position (\d+)/.exec(cause.message)?.[1] : undefined
  return position === undefined ? '' : ` (at position ${position})`
}

function syntax(message: string, cause?: unknown): ApiError {
  return new ApiError('INVALID_REQUEST', message, { cause, issues: [{ code: 'invalid_json', path: [], message }] })
}
