import 'server-only'
import { isUtf8 } from 'node:buffer'
import { ApiError } from '@/lib/contract/errors'

/** Maximum nesting of a body. Printing a value 10,000 levels deep overflows the stack; a schema of ours needs 40. */
const MAX_DEPTH = 64
/** Maximum number of values in a body: 3 million small objects take `JSON.parse` two seconds and 800 MB. */
const MAX_NODES = 200_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Counts depth and values of JSON text before it is parsed, in one pass that skips strings (100 kB take a few
 * microseconds). Malformed text is left to the parser.
 *
 * @returns the fault for the caller, or nothing.
 */
export function guardJson(bytes: Buffer): string | undefined {
  let depth = 0
  let nodes = 0
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at)
        break
      case COMMA:
        nodes++
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        nodes++
        if (++depth > MAX_DEPTH) return `The body is nested deeper than ${MAX_DEPTH} levels.`
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--
        break
    }
    if (nodes > MAX_NODES) return `The body contains more than ${MAX_NODES} values.`
  }
  return undefined
}

/**
 * Finds the closing quote, or the end of the text. Searching for quotes is fastest in a plain string, but quadratic
 * where quotes are escaped: 31 MB of them took half a second.
 */
function endOfString(bytes: Buffer, start: number): number {
  const quote = bytes.indexOf(QUOTE, start + 1)
  if (quote < 0) return bytes.length
  let slashes = 0
  while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++
  if (slashes % 2 === 0) return quote
  let at = quote + 1
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) return at
  }
  return bytes.length
}

export const parseJson = (bytes: Buffer): unknown => parseText(jsonText(bytes))

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
