const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Everything here walks over text whose grammar was checked before: by `JSON.parse`, or of a node's reply by its scan. On
 * other text it ends too, with places that mean nothing.
 */

/** The index of the first character at or behind `at` that is not blank. */
export function skipBlank(text: string, at: number): number {
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

/** The index behind the value that starts at `start`. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) return endOfString(text, start)
  if (first === OPEN_ARRAY || first === OPEN_OBJECT) return endOfNested(text, start)
  let end = start
  while (end < text.length && !endsScalar(text.charCodeAt(end))) end++
  return end
}

/** Calls `visit` with where each element of the array that starts at `start` stands, until it answers false. */
export function eachElement(text: string, start: number, visit: (start: number, end: number) => boolean): void {
  let at = skipBlank(text, start + 1)
  while (at < text.length && text.charCodeAt(at) !== CLOSE_ARRAY) {
    const end = endOfValue(text, at)
    if (end === at || !visit(at, end)) return
    at = skipBlank(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipBlank(text, at + 1)
  }
}

/** Calls `visit` with the name of each member of the object that starts at `start`, as it is meant, and its value's text. */
export function eachMember(text: string, start: number, visit: (name: string, value: string) => void): void {
  let at = skipBlank(text, start + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(text, at)
    const valueStart = skipBlank(text, skipBlank(text, nameEnd) + 1)
    const end = endOfValue(text, valueStart)
    visit(stringOf(text.slice(at, nameEnd)), text.slice(valueStart, end))
    at = skipBlank(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipBlank(text, at + 1)
  }
}

/** The value of a string's JSON text. */
export const stringOf = (json: string): string =>
  json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1)

function endOfNested(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        continue
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth++
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        if (--depth === 0) return at + 1
        break
    }
    at++
  }
  return text.length
}

function endOfString(text: string, start: number): number {
  let quote = start
  while (true) {
    quote = text.indexOf('"', quote + 1)
    if (quote < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(quote - slashes - 1) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return quote + 1
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const endsScalar = (code: number): boolean =>
  code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || isBlank(code)
