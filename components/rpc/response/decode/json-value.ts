import { stringOf } from '@/components/rpc/response/decode/json-scan'

/** JSON with its whole numbers exact: one that a JavaScript number cannot hold is a bigint. Records have no prototype. */
export type Json = string | number | bigint | boolean | null | Json[] | JsonRecord | typeof TOO_DEEP
export type JsonRecord = { [key: string]: Json }

/** Stands for what is nested deeper than anything is read. */
export const TOO_DEEP: unique symbol = Symbol('too deep')

const MAX_DEPTH = 64
/** A number of a million digits would take minutes to read. No chain has one of more than 78. */
const LONGEST_NUMBER_CHARS = 400
const WHOLE = /^-?\d+$/
const ENDS_WORD = /[\s,\]}]/g

/**
 * Reads a text that is known to be JSON. `numberOf` says what becomes of a number, given as it is written.
 *
 * @throws SyntaxError or RangeError where it is no JSON.
 */
export function readJson(
  text: string,
  from = 0,
  to = text.length,
  numberOf: (written: string) => Json = exactNumber,
): Json {
  let at = from

  const skipSpace = () => {
    while (at < to && ' \n\r\t'.includes(text[at]!)) at += 1
  }
  const string = (): string => {
    const start = at
    at = pastString(text, at)
    return stringOf(text, start, at)
  }
  const value = (depth: number): Json => {
    skipSpace()
    const character = text[at]
    if (character === '"') return string()
    if (character !== '{' && character !== '[') return word()
    if (depth >= MAX_DEPTH) {
      at = pastBrackets(text, at, to)
      return TOO_DEEP
    }
    return character === '[' ? list(depth) : record(depth)
  }
  const word = (): Json => {
    ENDS_WORD.lastIndex = at
    const end = Math.min(to, ENDS_WORD.exec(text)?.index ?? to)
    const written = text.slice(at, end)
    if (end === at) throw new SyntaxError(`No value at ${at}`)
    at = end
    if (written === 'true') return true
    if (written === 'false') return false
    return written === 'null' ? null : numberOf(written)
  }
  const list = (depth: number): Json[] => {
    const items: Json[] = []
    at += 1
    for (skipSpace(); text[at] !== ']'; skipSpace()) {
      if (at >= to) throw new SyntaxError('A list has no end')
      items.push(value(depth + 1))
      skipSpace()
      if (text[at] === ',') at += 1
    }
    at += 1
    return items
  }
  const record = (depth: number): JsonRecord => {
    const fields: JsonRecord = Object.create(null)
    at += 1
    for (skipSpace(); text[at] !== '}'; skipSpace()) {
      if (text[at] !== '"') throw new SyntaxError('A record has no end')
      const key = string()
      skipSpace()
      at += 1
      fields[key] = value(depth + 1)
      skipSpace()
      if (text[at] === ',') at += 1
    }
    at += 1
    return fields
  }
  return value(0)
}

export function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function exactNumber(written: string): number | bigint | string {
  if (written.length > LONGEST_NUMBER_CHARS) return written
  const number = Number(written)
  return WHOLE.test(written) && !Number.isSafeInteger(number) ? BigInt(written) : number
}

function pastString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (end === -1) throw new SyntaxError('A string has no end')
  return end + 1
}

/** Whether an odd number of backslashes stands before a quote. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text[at - 1] === '\\') at -= 1
  return (quote - at) % 2 === 1
}

function pastBrackets(text: string, start: number, to: number): number {
  let depth = 0
  for (let at = start; at < to; at++) {
    const character = text[at]
    if (character === '"') at = pastString(text, at) - 1
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth === 0) return at + 1
  }
  return to
}
