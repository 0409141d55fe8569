import 'server-only'
import { GOES_ON, JsonSkip, MALFORMED } from '@/lib/services/rpc-nodes/json/json-skip'
import {
  MAX_TOKEN_BYTES,
  type Member,
  memberOf,
  ReplyItem,
  type ScannedItem,
} from '@/lib/services/rpc-nodes/json/reply-item'

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
