import { type MessageDescriptor, msg } from '@/components/rpc/response/decode/message-descriptor'
export type JsonFault = { at: number; message: MessageDescriptor }

/** One value of a text: where it stands, how deep, and under which name. */
export type JsonPlace = { depth: number; key?: string; start: number; end: number }

export type JsonScan = { isJson: true; depth: number } | { isJson: false; fault: JsonFault }

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

/** What may stand next: a value, a name, or what separates them. */
type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma-or-end' | 'nothing'

/**
 * Reads a text as JSON from end to end, in steps of its own stack and not of the machine's, so that depth is no danger.
 * `visit` hears of every value no deeper than `depth`, the whole being at 0, as each ends: children before parents.
 */
export function scanJson(text: string, depth = -1, visit?: (place: JsonPlace) => void): JsonScan {
  const opened: { start: number; isRecord: boolean; key: string | undefined }[] = []
  let expected = 'value' as Expected
  let key: string | undefined
  let deepest = 0
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
      if (opened.length > deepest) deepest = opened.length
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
  return expected === 'nothing' ? { isJson: true, depth: deepest } : fault(msg('Unexpected end of text'))
}

/** What a string between `start` and `end`, its quotes with it, says. The text is known to be JSON. */
export function stringOf(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? String(JSON.parse(`"${inner}"`)) : inner
}

/** Where a string that begins with the quote at `start` ends, past its last quote. */
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

/** Where a number, `true`, `false` or `null` ends; nothing where none begins. */
function endOfWord(text: string, start: number): number | undefined {
  for (const pattern of [NUMBER, WORD]) {
    pattern.lastIndex = start
    if (pattern.test(text)) return pattern.lastIndex
  }
  return undefined
}
