import 'server-only'

/** Where a value stands in a reply, in bytes from its start; `end` is behind its last byte. */
export type Span = { start: number; end: number }

/** One object of a node's reply. `result` is there when the outcome is one. */
export type ScannedItem = {
  /** JSON text as the node wrote it; nothing when it wrote none. */
  id?: string
  idAt?: Span
  outcome: 'result' | 'error'
  errorCode?: number
  /** Cut at `MAX_MESSAGE_CHARACTERS`. Data from outside. */
  errorMessage?: string
  result?: Span
}

/** Members that matter, of a reply and of its error. */
export type Member = 'id' | 'result' | 'error' | 'code' | 'message' | 'other'

/** How much of a key, an id, a number or a message is looked at, in bytes: 256 characters that are all escaped fit. */
export const MAX_TOKEN_BYTES = 4_096
const MAX_MESSAGE_CHARACTERS = 512

const SCALAR = /^(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const REPLY_MEMBERS: ReadonlySet<string> = new Set(['id', 'result', 'error'] satisfies Member[])
const ERROR_MEMBERS: ReadonlySet<string> = new Set(['code', 'message'] satisfies Member[])

/** A string or a plain value as it stood in the reply, one character a byte; `isCut` when it went on. */
export type Token = { latin1: string; isString: boolean; isCut: boolean; at: Span }

/** Which member a key names, however it is spelled. @param key what stood between its quotes. */
export function memberOf(key: string, isInError: boolean): Member {
  const name = key.includes('\\') ? decoded(`"${key}"`) : key
  return (isInError ? ERROR_MEMBERS : REPLY_MEMBERS).has(name ?? '') ? (name as Member) : 'other'
}

/** Gathers what one reply object says. Methods answer false when no node that speaks JSON-RPC would write it. */
export class ReplyItem {
  #id: string | undefined
  #idAt: Span | undefined
  #result: Span | undefined
  #hasErrorKey = false
  #isError = false
  #code: number | undefined
  #message: string | undefined

  /** A string, number or literal. */
  take(member: Member, token: Token): boolean {
    if (!token.isString && (token.isCut || !SCALAR.test(token.latin1))) return false
    switch (member) {
      case 'id':
        return this.#takeId(token)
      case 'result':
        return this.takeResult(token.at)
      case 'error':
        if (token.latin1 === 'null') return this.takeError(false)
        this.#message = messageOf(token)
        return this.takeError(true)
      case 'code':
        if (!token.isString && Number.isSafeInteger(Number(token.latin1))) this.#code = Number(token.latin1)
        return true
      case 'message':
        this.#message = messageOf(token)
        return true
      case 'other':
        return true
    }
  }

  /** An array or object. */
  takeNested(member: Member, at: Span): boolean {
    if (member === 'id') return false
    if (member === 'result') return this.takeResult(at)
    return member !== 'error' || this.takeError(true)
  }

  /** A second result could be the one that the client believes. */
  takeResult(at: Span): boolean {
    if (this.#result) return false
    this.#result = at
    return true
  }

  takeError(isError: boolean): boolean {
    if (this.#hasErrorKey) return false
    this.#hasErrorKey = true
    this.#isError = isError
    return true
  }

  /** What was gathered; nothing when it is neither a result nor an error. */
  end(): ScannedItem | undefined {
    const id = this.#id === undefined ? {} : { id: this.#id, idAt: this.#idAt }
    if (!this.#isError) return this.#result && { ...id, outcome: 'result', result: this.#result }
    const item: ScannedItem = { ...id, outcome: 'error' }
    if (this.#code !== undefined) item.errorCode = this.#code
    if (this.#message !== undefined) item.errorMessage = this.#message
    return item
  }

  #takeId(token: Token): boolean {
    if (this.#id !== undefined || token.isCut || token.latin1 === 'true' || token.latin1 === 'false') return false
    const text = utf8(token.latin1)
    if (token.isString && decoded(text) === undefined) return false
    this.#id = text
    this.#idAt = token.at
    return true
  }
}

/** The text of a message; of one that was cut, what comes out whole. */
function messageOf({ latin1, isString, isCut }: Token): string | undefined {
  if (!isString) return undefined
  let text = utf8(latin1)
  if (isCut) {
    // A cut escape sequence or character is at most six long; whatever stands before is whole.
    for (let cut = 0; cut <= 6; cut++) {
      const whole = decoded(`${text.slice(0, text.length - cut)}"`)
      if (whole !== undefined) return whole.slice(0, MAX_MESSAGE_CHARACTERS)
    }
    return undefined
  }
  text = decoded(text) ?? ''
  return text === '' ? undefined : text.slice(0, MAX_MESSAGE_CHARACTERS)
}

/** A JSON string's value, or nothing when it is none. */
function decoded(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

function utf8(latin1: string): string {
  for (let at = 0; at < latin1.length; at++) {
    if (latin1.charCodeAt(at) > 0x7f) return Buffer.from(latin1, 'latin1').toString('utf8')
  }
  return latin1
}
