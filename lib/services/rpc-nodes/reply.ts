import 'server-only'

export type ScannedReply = { isBatch: boolean; items: ScannedItem[] }

const MAX_ITEMS = 100

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

type State =
  | 'start'
  | 'item'
  | 'first-key'
  | 'next-key'
  | 'colon'
  | 'value'
  | 'after-value'
  | 'after-item'
  | 'done'
  | 'broken'
  | 'key'
  | 'string'
  | 'scalar'
  | 'nested'

/**
 * Reads a node's reply as it comes in, in chunks cut anywhere, and keeps only ids and error messages. The grammar is
 * checked where one reply could be taken for another; within results only that strings end and brackets match.
 */
export class ReplyScanner {
  #state: State = 'start'
  #isBatch = false
  #items: ScannedItem[] = []
  #item = new ReplyItem()
  #isInError = false
  #member: Member = 'other'
  readonly #skip = new JsonSkip()
  #base = 0
  #start = 0
  #kept = ''
  #from = 0

  push(chunk: Uint8Array): void {
    if (this.#state === 'broken' || chunk.length === 0) return
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    // No JSON holds one, and what was zeroed on the way is not to be paid for.
    if (bytes.includes(0)) this.#state = 'broken'
    let at = 0
    while (at < bytes.length) at = this.#step(bytes, at)
    if (this.#state === 'key' || this.#state === 'string' || this.#state === 'scalar') {
      this.#kept = this.#token(bytes, bytes.length)
      this.#from = 0
    }
    this.#base += bytes.length
  }

  end(): ScannedReply | undefined {
    if (this.#state !== 'done') return undefined
    return { isBatch: this.#isBatch, items: this.#items }
  }

  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'key':
      case 'string':
        return this.#readString(bytes, at)
      case 'scalar':
        return this.#readScalar(bytes, at)
      case 'nested':
        return this.#readNested(bytes, at)
      case 'broken':
        return bytes.length
      default:
        if (!isBlank(bytes[at]!)) this.#state = this.#sign(bytes[at]!, at)
        return at + (this.#state === 'scalar' ? 0 : 1)
    }
  }

  #sign(byte: number, at: number): State {
    switch (this.#state) {
      case 'start':
        this.#isBatch = byte === OPEN_ARRAY
        return this.#isBatch ? 'item' : this.#openItem(byte)
      case 'item':
        return this.#openItem(byte)
      case 'first-key':
        return byte === CLOSE_OBJECT ? this.#closeObject() : this.#openKey(byte, at)
      case 'next-key':
        return this.#openKey(byte, at)
      case 'colon':
        return byte === COLON ? 'value' : 'broken'
      case 'value':
        return this.#openValue(byte, at)
      case 'after-value':
        return byte === CLOSE_OBJECT ? this.#closeObject() : byte === COMMA ? 'next-key' : 'broken'
      case 'after-item':
        return byte === CLOSE_ARRAY ? 'done' : byte === COMMA ? 'item' : 'broken'
      default:
        return 'broken'
    }
  }

  #openItem(byte: number): State {
    return byte === OPEN_OBJECT && this.#items.length < MAX_ITEMS ? 'first-key' : 'broken'
  }

  #openKey(byte: number, at: number): State {
    if (byte !== QUOTE) return 'broken'
    this.#beginToken(at + 1)
    return 'key'
  }

  #openValue(byte: number, at: number): State {
    this.#start = this.#base + at
    if (byte === OPEN_OBJECT && this.#member === 'error') {
      this.#isInError = true
      return this.#item.takeError(true) ? 'first-key' : 'broken'
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#skip.open(byte)
      return 'nested'
    }
    this.#beginToken(at)
    return byte === QUOTE ? 'string' : 'scalar'
  }

  #closeObject(): State {
    if (this.#isInError) {
      this.#isInError = false
      return 'after-value'
    }
    const item = this.#item.end()
    if (!item) return 'broken'
    this.#items.push(item)
    this.#item = new ReplyItem()
    return this.#isBatch ? 'after-item' : 'done'
  }

  #readString(bytes: Buffer, at: number): number {
    const quote = this.#skip.closingQuote(bytes, at)
    if (quote === GOES_ON) return bytes.length
    if (this.#state === 'key') {
      this.#member = memberOf(this.#token(bytes, quote), this.#isInError)
      this.#state = 'colon'
      return quote + 1
    }
    this.#closeValue(bytes, quote + 1, true)
    return quote + 1
  }

  #readScalar(bytes: Buffer, at: number): number {
    let end = at
    while (end < bytes.length && !endsScalar(bytes[end]!)) end++
    if (end < bytes.length) this.#closeValue(bytes, end, false)
    return end
  }

  #readNested(bytes: Buffer, at: number): number {
    const end = this.#skip.value(bytes, at)
    if (end === GOES_ON) return bytes.length
    const isAccepted =
      end !== MALFORMED && this.#item.takeNested(this.#member, { start: this.#start, end: this.#base + end })
    this.#state = isAccepted ? 'after-value' : 'broken'
    return isAccepted ? end : bytes.length
  }

  #closeValue(bytes: Buffer, end: number, isString: boolean): void {
    const at = { start: this.#start, end: this.#base + end }
    const isCut = at.end - at.start > MAX_TOKEN_BYTES
    // A result may be long, and nobody asks what it says.
    const latin1 = isString && (this.#member === 'result' || this.#member === 'other') ? '' : this.#token(bytes, end)
    this.#state = this.#item.take(this.#member, { latin1, isString, isCut, at }) ? 'after-value' : 'broken'
  }

  #beginToken(at: number): void {
    this.#kept = ''
    this.#from = at
  }

  /** Returns the token up to `end`, or its first `MAX_TOKEN_BYTES`. */
  #token(bytes: Buffer, end: number): string {
    const remaining = MAX_TOKEN_BYTES - this.#kept.length
    return this.#kept + bytes.toString('latin1', this.#from, Math.min(end, this.#from + remaining))
  }
}

export type Answer = { body: Uint8Array<ArrayBuffer>; scanned: ScannedReply }

export function scan(body: Buffer<ArrayBuffer>): Answer | undefined {
  const scanner = new ReplyScanner()
  scanner.push(body)
  const scanned = scanner.end()
  return scanned && { body, scanned }
}

export function withId(result: Uint8Array, id: string | undefined): Buffer<ArrayBuffer> {
  const head = `{"jsonrpc":"2.0","id":${id ?? 'null'},"result":`
  const headBytes = Buffer.byteLength(head)
  const reply = Buffer.allocUnsafe(headBytes + result.byteLength + 1)
  reply.write(head)
  reply.set(result, headBytes)
  reply[reply.length - 1] = CLOSE_OBJECT
  return reply
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const endsScalar = (byte: number): boolean =>
  byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isBlank(byte)

type Span = { start: number; end: number }

export type ScannedItem = {
  id?: string
  idAt?: Span
  outcome: 'result' | 'error'
  errorCode?: number
  errorMessage?: string
  result?: Span
}

type Member = 'id' | 'result' | 'error' | 'code' | 'message' | 'other'

/** 256 characters that are all escaped fit. */
const MAX_TOKEN_BYTES = 4_096
const MAX_MESSAGE_CHARACTERS = 512

const SCALAR = /^(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const REPLY_MEMBERS: ReadonlySet<string> = new Set(['id', 'result', 'error'] satisfies Member[])
const ERROR_MEMBERS: ReadonlySet<string> = new Set(['code', 'message'] satisfies Member[])

type Token = { latin1: string; isString: boolean; isCut: boolean; at: Span }

function memberOf(key: string, isInError: boolean): Member {
  const name = key.includes('\\') ? decoded(`"${key}"`) : key
  return (isInError ? ERROR_MEMBERS : REPLY_MEMBERS).has(name ?? '') ? (name as Member) : 'other'
}

/**
 * Gathers what one reply object says. Methods return false where no node that speaks JSON-RPC would write such a
 * member.
 */
class ReplyItem {
  #id: string | undefined
  #idAt: Span | undefined
  #result: Span | undefined
  #hasErrorKey = false
  #isError = false
  #code: number | undefined
  #message: string | undefined

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

const GOES_ON = -1
const MALFORMED = -2

/** A trace nests two levels a call, and a chain allows 1,024 calls within each other. */
const MAX_DEPTH = 4_096
const START_DEPTH = 32
/** Most strings end within so many bytes; for longer ones a native search is faster than a loop. */
const NEAR_BYTES = 24

const BACKSLASH = 0x5c

/**
 * Jumps over strings, arrays and objects of JSON that comes in chunks cut anywhere. It checks only that strings close
 * and brackets match by kind.
 */
class JsonSkip {
  #isEscaped = false
  #isInString = false
  #closers: Uint8Array | undefined
  #depth = 0

  closingQuote(bytes: Buffer, at: number): number {
    const { length } = bytes
    if (this.#isEscaped && at < length) {
      this.#isEscaped = false
      at++
    }
    while (at < length) {
      const near = Math.min(at + NEAR_BYTES, length)
      while (at < near) {
        const byte = bytes[at]
        if (byte === QUOTE) return at
        at += byte === BACKSLASH ? 2 : 1
      }
      if (at >= length) break
      const quote = bytes.indexOf(QUOTE, at)
      const stop = quote < 0 ? length : quote
      let slashes = 0
      while (stop - slashes > at && bytes[stop - slashes - 1] === BACKSLASH) slashes++
      const isEven = slashes % 2 === 0
      if (quote >= 0 && isEven) return quote
      at = isEven ? stop : stop + 1
    }
    this.#isEscaped = at > length
    return GOES_ON
  }

  open(bracket: number): void {
    this.#closers ??= new Uint8Array(START_DEPTH)
    this.#closers[0] = bracket + 2
    this.#depth = 1
  }

  value(bytes: Buffer, at: number): number {
    const { length } = bytes
    let closers = this.#closers ?? new Uint8Array(START_DEPTH)
    let depth = this.#depth
    if (this.#isInString) {
      at = this.closingQuote(bytes, at)
      if (at === GOES_ON) return GOES_ON
      this.#isInString = false
      at++
    }
    for (; at < length; at++) {
      const byte = bytes[at]
      switch (byte) {
        case QUOTE:
          at = this.closingQuote(bytes, at + 1)
          if (at === GOES_ON) {
            this.#isInString = true
            this.#depth = depth
            return GOES_ON
          }
          break
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          if (depth === closers.length) {
            if (depth === MAX_DEPTH) return MALFORMED
            closers = this.#grow(closers)
          }
          // In ASCII each kind of bracket closes two places behind where it opens.
          closers[depth++] = byte + 2
          break
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          if (closers[--depth] !== byte) return MALFORMED
          if (depth === 0) return at + 1
          break
      }
    }
    this.#depth = depth
    return GOES_ON
  }

  #grow(closers: Uint8Array): Uint8Array {
    const grown = new Uint8Array(closers.length * 2)
    grown.set(closers)
    this.#closers = grown
    return grown
  }
}
