import 'server-only'

/** A node's reply, as far as it must be understood: the bytes themselves go to the caller untouched. */
export type ScannedReply = { isBatch: boolean; items: ScannedItem[] }

/** A batch holds no more calls, and every call has one reply. */
const MAX_ITEMS = 100

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** What the next byte belongs to. */
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
 * Reads a node's reply as it comes in, in chunks cut anywhere, and keeps no byte of it but ids and error messages. The
 * grammar is checked where a reply could be taken for another; within results only that strings end and brackets match.
 */
export class ReplyScanner {
  #state: State = 'start'
  #isBatch = false
  #items: ScannedItem[] = []
  #item = new ReplyItem()
  #isInError = false
  #member: Member = 'other'
  readonly #skip = new JsonSkip()
  /** Bytes before this chunk. */
  #base = 0
  /** Where the value that is being read starts, in bytes of the reply. */
  #start = 0
  /** Of the token that is being read: what earlier chunks held, and where it goes on in this one. */
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

  /** What was read; nothing unless it was one whole reply, or one whole batch of replies. */
  end(): ScannedReply | undefined {
    if (this.#state !== 'done') return undefined
    return { isBatch: this.#isBatch, items: this.#items }
  }

  /** Takes a token, or what of it this chunk holds, and answers where the next begins. */
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

  /** A byte that stands between tokens, or begins one. Answers what comes next. */
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
    const isTaken =
      end !== MALFORMED && this.#item.takeNested(this.#member, { start: this.#start, end: this.#base + end })
    this.#state = isTaken ? 'after-value' : 'broken'
    return isTaken ? end : bytes.length
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

  /** The token up to `end`, or its first `MAX_TOKEN_BYTES`. */
  #token(bytes: Buffer, end: number): string {
    const room = MAX_TOKEN_BYTES - this.#kept.length
    return this.#kept + bytes.toString('latin1', this.#from, Math.min(end, this.#from + room))
  }
}

/** Prints a reply around a result that is known already. @param id JSON text as the caller wrote it. */
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

/** Where a value stands in a reply, in bytes from its start; `end` is behind its last byte. */
type Span = { start: number; end: number }

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
type Member = 'id' | 'result' | 'error' | 'code' | 'message' | 'other'

/** How much of a key, an id, a number or a message is looked at, in bytes: 256 characters that are all escaped fit. */
const MAX_TOKEN_BYTES = 4_096
const MAX_MESSAGE_CHARACTERS = 512

const SCALAR = /^(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const REPLY_MEMBERS: ReadonlySet<string> = new Set(['id', 'result', 'error'] satisfies Member[])
const ERROR_MEMBERS: ReadonlySet<string> = new Set(['code', 'message'] satisfies Member[])

/** A string or a plain value as it stood in the reply, one character a byte; `isCut` when it went on. */
type Token = { latin1: string; isString: boolean; isCut: boolean; at: Span }

/** Which member a key names, however it is spelled. @param key what stood between its quotes. */
function memberOf(key: string, isInError: boolean): Member {
  const name = key.includes('\\') ? decoded(`"${key}"`) : key
  return (isInError ? ERROR_MEMBERS : REPLY_MEMBERS).has(name ?? '') ? (name as Member) : 'other'
}

/** Gathers what one reply object says. Methods answer false when no node that speaks JSON-RPC would write it. */
class ReplyItem {
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

/** The value goes on in the next chunk. */
const GOES_ON = -1
/** The value is no JSON: a bracket closes what it did not open, or it is nested too deep. */
const MALFORMED = -2

/** A trace nests two levels a call, and a chain allows 1,024 calls within each other. */
const MAX_DEPTH = 4_096
const START_DEPTH = 32
/** Most strings end within so many bytes; for longer ones a search of the runtime is faster than a loop here. */
const NEAR_BYTES = 24

const BACKSLASH = 0x5c

/**
 * Jumps over strings, arrays and objects of JSON that comes in chunks cut anywhere. It keeps where it is, never what stood
 * there, and looks only at what holds a value together: closed strings, and brackets that match by kind.
 */
class JsonSkip {
  /** The last chunk ended on a backslash that escapes the first byte of the next. */
  #isEscaped = false
  #isInString = false
  /** The brackets that close what is open, outermost first. */
  #closers: Uint8Array | undefined
  #depth = 0

  /** Where the string that holds `at` ends: the index of its closing quote, or `GOES_ON`. */
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

  /** Begins an array or object; `value` goes on behind its bracket. */
  open(bracket: number): void {
    this.#closers ??= new Uint8Array(START_DEPTH)
    this.#closers[0] = bracket + 2
    this.#depth = 1
  }

  /** Where the array or object that holds `at` ends: the index behind its last bracket, `GOES_ON` or `MALFORMED`. */
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
