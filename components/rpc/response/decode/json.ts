import { type MessageDescriptor, msg } from '@/components/rpc/response/decode/decoded'

type JsonFault = { at: number; message: MessageDescriptor }

export type JsonPlace = { depth: number; key?: string; start: number; end: number }

type JsonScan = { isJson: true } | { isJson: false; fault: JsonFault }

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_RECORD = 0x7b
const CLOSE_RECORD = 0x7d
const COMMA = 0x2c
const COLON = 0x3a

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma-or-end' | 'nothing'

/** Scans JSON with a stack of its own, so that depth is no danger. `visit` gets children before parents, to `depth`. */
export function scanJson(text: string, depth = -1, visit?: (place: JsonPlace) => void): JsonScan {
  const opened: { start: number; isRecord: boolean; key: string | undefined }[] = []
  let expected = 'value' as Expected
  let key: string | undefined
  let at = 0

  const fault = (message: MessageDescriptor): JsonScan => ({ isJson: false, fault: { at, message } })
  const ended = (start: number, end: number, name: string | undefined) => {
    if (visit && opened.length <= depth) {
      visit({ depth: opened.length, start, end, ...(name !== undefined && { key: name }) })
    }
    expected = opened.length === 0 ? 'nothing' : 'comma-or-end'
  }

  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) continue
    const takesValue = expected === 'value' || expected === 'value-or-end'
    if (code === QUOTE) {
      const isName: boolean = expected === 'name' || expected === 'name-or-end'
      if (!takesValue && !isName) return fault(msg('Unexpected string'))
      const end = endOfString(text, at)
      if (end === undefined) return fault(msg('Unterminated or malformed string'))
      if (isName) {
        key = opened.length <= depth ? stringOf(text, at, end) : undefined
        expected = 'colon'
      } else ended(at, end, key)
      at = end - 1
    } else if (code === OPEN_RECORD || code === OPEN_LIST) {
      if (!takesValue) return fault(msg('Unexpected value'))
      opened.push({ start: at, isRecord: code === OPEN_RECORD, key })
      expected = code === OPEN_RECORD ? 'name-or-end' : 'value-or-end'
      key = undefined
    } else if (code === CLOSE_RECORD || code === CLOSE_LIST) {
      const isRecord = code === CLOSE_RECORD
      const isInPlace = expected === 'comma-or-end' || expected === (isRecord ? 'name-or-end' : 'value-or-end')
      const closed = opened.at(-1)
      if (!isInPlace || closed?.isRecord !== isRecord) return fault(msg('Unmatched closing bracket'))
      opened.pop()
      ended(closed.start, at + 1, closed.key)
    } else if (code === COMMA) {
      if (expected !== 'comma-or-end') return fault(msg('Unexpected comma'))
      const isRecord = opened.at(-1)?.isRecord
      expected = isRecord ? 'name' : 'value'
      key = undefined
    } else if (code === COLON) {
      if (expected !== 'colon') return fault(msg('Unexpected colon'))
      expected = 'value'
    } else {
      const end: number | undefined = takesValue ? endOfWord(text, at) : undefined
      if (end === undefined) return fault(msg('Unexpected character'))
      ended(at, end, key)
      at = end - 1
    }
  }
  return expected === 'nothing' ? { isJson: true } : fault(msg('Unexpected end of text'))
}

function stringOf(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? String(JSON.parse(`"${inner}"`)) : inner
}

function endOfString(text: string, start: number): number | undefined {
  let hasEscapes = false
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < FIRST_PRINTABLE) return undefined
    if (code === BACKSLASH) {
      hasEscapes = true
      at += 1
    } else if (code === QUOTE) {
      return hasEscapes && !isEscaped(text, start + 1, at) ? undefined : at + 1
    }
  }
  return undefined
}

function isEscaped(text: string, start: number, end: number): boolean {
  for (let at = text.indexOf('\\', start); at !== -1 && at < end; at = text.indexOf('\\', ESCAPE.lastIndex)) {
    ESCAPE.lastIndex = at
    if (!ESCAPE.test(text)) return false
  }
  return true
}

function endOfWord(text: string, start: number): number | undefined {
  for (const pattern of [NUMBER, WORD]) {
    pattern.lastIndex = start
    if (pattern.test(text)) return pattern.lastIndex
  }
  return undefined
}

// JSON with exact whole numbers: unsafe ones are bigints. Records have no prototype.
export type Json = string | number | bigint | boolean | null | Json[] | JsonRecord | typeof TOO_DEEP
export type JsonRecord = { [key: string]: Json }

export const TOO_DEEP: unique symbol = Symbol('too deep')

const MAX_DEPTH = 64
// A number of a million digits would take minutes to read. No chain has one of more than 78.
const MAX_NUMBER_CHARS = 400
const WHOLE = /^-?\d+$/

/** Reads a text that is known to be JSON. @throws SyntaxError where it is none. */
export function readJson(text: string): Json {
  // Values whose bracket is still open, by depth.
  const waiting: { key: string | undefined; value: Json }[][] = []
  const take = (depth: number) => waiting.splice(depth, 1)[0] ?? []
  const valueAt = ({ start, end, depth }: JsonPlace): Json => {
    const first = text[start]
    if (first === '"') return stringOf(text, start, end)
    if (first !== '[' && first !== '{') return wordOf(text.slice(start, end))
    if (depth >= MAX_DEPTH) return TOO_DEEP
    const inner = take(depth + 1)
    if (first === '[') return inner.map(({ value }) => value)
    const fields: JsonRecord = Object.create(null)
    for (const { key, value } of inner) fields[key!] = value
    return fields
  }
  const scan = scanJson(text, MAX_DEPTH, (place) => {
    const value = valueAt(place)
    waiting[place.depth] ??= []
    waiting[place.depth]!.push({ key: place.key, value })
  })
  if (!scan.isJson) throw new SyntaxError(`No JSON at ${scan.fault.at}`)
  return waiting[0]![0]!.value
}

function wordOf(written: string): Json {
  if (written === 'true') return true
  if (written === 'false') return false
  return written === 'null' ? null : exactNumber(written)
}

export const isRecord = (value: Json | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function exactNumber(written: string): number | bigint | string {
  if (written.length > MAX_NUMBER_CHARS) return written
  const number = Number(written)
  return WHOLE.test(written) && !Number.isSafeInteger(number) ? BigInt(written) : number
}

// Finds the quote that ends the string at `start`: one with an even number of backslashes before it.
function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscapedQuote(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscapedQuote(text: string, quote: number): boolean {
  let at = quote
  while (text[at - 1] === '\\') at -= 1
  return (quote - at) % 2 === 1
}

// Whole lines of a formatted text, and the stretches within them to fold.
export type TextChunk = { text: string; folds: Int32Array }

export type FormatEnd = {
  lines: number
  // For a line that opens a bracket, the line that closes it; 0 for others. Both count from 1.
  closers: Int32Array
  isCut: boolean
}

const INDENT = 2
// Deeper lines are indented no further: a thousand brackets must not become megabytes of spaces.
const MAX_INDENT_LEVELS = 32
const CHUNK_CHARS = 256 * 1024
const FIRST_CHUNK_CHARS = 16 * 1024
// No text is shown that is longer; it can still be downloaded.
const MAX_CHARS = 32 * 1024 * 1024
const MAX_LINES = 2_000_000
const FOLD_CHARS = 1_024
const FOLD_HEAD_CHARS = 192
const FOLD_TAIL_CHARS = 32

const INDENTS = Array.from({ length: MAX_INDENT_LEVELS + 1 }, (_, level) => `\n${' '.repeat(level * INDENT)}`)
const STOPS = new Set(['"', '{', '}', '[', ']', ',', ':', ' ', '\n', '\r', '\t'])

/** Indents JSON without parsing values. Text that is no JSON keeps its characters in order. */
export function* formatJson(text: string, from = 0, to = text.length): Generator<TextChunk, FormatEnd> {
  const closers: number[] = []
  const openLines: number[] = []
  let pieces: string[] = []
  let folds: number[] = []
  let length = 0
  let total = 0
  let line = 1
  let at = from

  const write = (piece: string) => {
    pieces.push(piece)
    length += piece.length
  }
  const breakLine = () => {
    write(INDENTS[Math.min(openLines.length, MAX_INDENT_LEVELS)]!)
    line += 1
  }
  const chunk = (): TextChunk => {
    const made = { text: pieces.join(''), folds: Int32Array.from(folds) }
    total += length
    pieces = []
    folds = []
    length = 0
    return made
  }

  for (; at < to && total + length < MAX_CHARS && line < MAX_LINES; at++) {
    const character = text[at]!
    switch (character) {
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        break
      case '{':
      case '[': {
        write(character)
        const next = nextMark(text, at + 1, to)
        if (text[next] === (character === '{' ? '}' : ']') && next < to) {
          write(text[next]!)
          at = next
          break
        }
        openLines.push(line)
        breakLine()
        break
      }
      case '}':
      case ']': {
        const opener = openLines.pop()
        breakLine()
        if (opener !== undefined) closers[opener] = line
        write(character)
        break
      }
      case ',':
        write(character)
        // Only between lines, so that every chunk is whole lines.
        if (length >= (total === 0 ? FIRST_CHUNK_CHARS : CHUNK_CHARS)) yield chunk()
        breakLine()
        break
      case ':':
        write(': ')
        break
      case '"': {
        const quote = closingQuote(text, at)
        const end = quote === -1 || quote >= to ? to : quote + 1
        if (end - at > FOLD_CHARS) folds.push(length + FOLD_HEAD_CHARS, length + (end - at) - FOLD_TAIL_CHARS)
        write(text.slice(at, end))
        at = end - 1
        break
      }
      default: {
        let end = at + 1
        while (end < to && !STOPS.has(text[end]!)) end += 1
        write(text.slice(at, end))
        at = end - 1
      }
    }
  }
  const isCut = at < to && nextMark(text, at, to) < to
  if (length > 0 || total === 0) yield chunk()
  return { lines: line, closers: Int32Array.from({ length: line + 1 }, (_, index) => closers[index] ?? 0), isCut }
}

function nextMark(text: string, start: number, to: number): number {
  let at = start
  while (at < to && ' \n\r\t'.includes(text[at]!)) at += 1
  return at
}

export type ReplyItem = {
  start: number
  end: number
  id?: string
  // `neither`: JSON, but no JSON-RPC reply.
  outcome: 'result' | 'error' | 'neither'
  value?: { start: number; end: number }
  errorCode?: string
  errorMessage?: string
  // Index of the call that it answers.
  callIndex?: number
}

export type Reply = { fault?: JsonFault; isBatch: boolean; items: ReplyItem[]; total: number }

const MAX_ITEMS = 200
const MAX_MESSAGE_CHARS = 2_000
const MAX_CODE_CHARS = 32
const MAX_ID_CHARS = 200

export const looksLikeJson = (text: string): boolean => /^\s*[[{]/.test(text)

/** Finds the items of a reply without parsing values. `calls` is how many were asked, their ids counting from 1. */
export function openReply(text: string, calls: number): Reply {
  const isBatch = /^\s*\[/.test(text)
  const itemDepth = isBatch ? 1 : 0
  const items: ReplyItem[] = []
  let fields: JsonPlace[] = []
  let total = 0
  const scan = scanJson(text, itemDepth + 1, (place) => {
    if (place.depth > itemDepth) {
      fields.push(place)
    } else if (place.depth === itemDepth) {
      total += 1
      if (items.length < MAX_ITEMS) items.push(itemOf(text, place, fields, isBatch ? calls : undefined))
      fields = []
    }
  })
  return scan.isJson ? { isBatch, items, total } : { fault: scan.fault, isBatch: false, items: [], total: 0 }
}

function itemOf(text: string, { start, end }: JsonPlace, fields: JsonPlace[], calls: number | undefined): ReplyItem {
  // A field that is there twice counts as JSON readers take it: the last one.
  const find = (key: string) => fields.findLast((field) => field.key === key)
  const sourceText = (place: JsonPlace) => text.slice(place.start, place.end)
  const id = find('id')
  const error = find('error')
  const result = find('result')
  const outcome = error && sourceText(error) !== 'null' ? 'error' : result ? 'result' : 'neither'
  const value = outcome === 'error' ? error : result
  const idText = id && sourceText(id).slice(0, MAX_ID_CHARS)
  const callIndex = calls === undefined ? 0 : callOf(idText, calls)
  return {
    start,
    end,
    outcome,
    id: idText,
    value: value && { start: value.start, end: value.end },
    ...(outcome === 'error' && errorOf(text.slice(value!.start, value!.end))),
    callIndex,
  }
}

function callOf(id: string | undefined, calls: number): number | undefined {
  const number = id !== undefined && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : Number.NaN
  return number <= calls ? number - 1 : undefined
}

function errorOf(error: string): Pick<ReplyItem, 'errorCode' | 'errorMessage'> {
  if (error.startsWith('"')) return { errorMessage: stringOf(error, 0, error.length).slice(0, MAX_MESSAGE_CHARS) }
  const found: Pick<ReplyItem, 'errorCode' | 'errorMessage'> = {}
  scanJson(error, 1, ({ key, start, end, depth }) => {
    if (depth !== 1) return
    if (key === 'code') found.errorCode = error.slice(start, end).slice(0, MAX_CODE_CHARS)
    if (key !== 'message') return
    const isText = error[start] === '"'
    found.errorMessage = (isText ? stringOf(error, start, end) : error.slice(start, end)).slice(0, MAX_MESSAGE_CHARS)
  })
  return found
}
