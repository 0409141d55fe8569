import 'server-only'
import type { ChatEvent, ChatRequest } from '@/lib/services/engines/engine'
import { Reply, type TextField } from '@/lib/services/engines/upstream/chat/reply'
import { ResponsesEvents } from '@/lib/services/engines/upstream/chat/responses-wire'
import { garbageError, streamError } from '@/lib/services/engines/upstream/failures'
import {
  type Exchange,
  failureOf,
  noteOverlong,
  type ReplyOptions,
  readRefusal,
} from '@/lib/services/engines/upstream/http-exchange'
import { isWireObject } from '@/lib/services/engines/upstream/wire-value'

/**
 * Turns the objects of a vendor's own form into chunks of a chat completion, so that one reader checks, bounds and
 * counts the answers of all forms.
 */
export type ChunkDecoder = {
  /** The answer is complete: what may follow is not read. */
  readonly isOver: boolean
  /** False until the end of an answer was read, where the form marks it: a reply without it was cut. */
  readonly hasEnd: boolean
  /** @returns undefined for an object that says nothing to the caller. */
  chunkOf(value: unknown): unknown
}

const BYTES_PER_TOKEN = 1_024
const BYTES_PER_TOKEN_WITH_LOGPROBS = 8_192
/** Without the frame that each token of a stream comes in. */
const BYTES_PER_WHOLE_TOKEN = 128
const SPARE_BYTES = 1_048_576
const PROMPT_LOGPROBS_BYTES = 33_554_432
const MAX_OPEN_LINES = 1_000

const CARRIAGE_RETURN = 13
const SPACE = 32
const COLON = 58
const BRACKET = 91
const BRACE = 123

/**
 * Reads the body of an upstream's reply: server-sent events, or one JSON object from a server that does not stream. Its
 * first character tells; servers' content types do not.
 */
export class ReplyReader {
  isDone = false
  lines = 0
  readonly reply: Reply
  readonly #secrets: string[]
  readonly #cutter: LineCutter
  readonly #template = new TextTemplate()
  #bytesLeft: number
  #form?: 'events' | 'json'
  #json = ''
  #isErrorEvent = false
  readonly #decoder?: ChunkDecoder
  #open: string[] = []

  constructor(
    request: ChatRequest,
    secrets: string[],
    decoder: ChunkDecoder | undefined = request.nativeSearch && new ResponsesEvents(),
  ) {
    this.reply = new Reply(request, secrets)
    this.#secrets = secrets
    this.#decoder = decoder
    const ofPrompt = request.promptLogprobs ? PROMPT_LOGPROBS_BYTES : 0
    const bytesOf = (perToken: number) =>
      request.maxTokens * request.n * (request.logprobs ? BYTES_PER_TOKEN_WITH_LOGPROBS : perToken) +
      SPARE_BYTES +
      ofPrompt
    this.#bytesLeft = bytesOf(BYTES_PER_TOKEN)
    // Most servers print a whole reply on one line.
    this.#cutter = new LineCutter(request.isWhole ? bytesOf(BYTES_PER_WHOLE_TOKEN) : undefined)
  }

  /**
   * Adds the events that these chunks complete.
   *
   * @throws UpstreamError when the upstream reports one, or the reply cannot be read. `out` holds the events before it.
   * @throws LineTooLongError
   */
  push(chunks: Buffer[], out: ChatEvent[]): void {
    for (const chunk of chunks) this.#bytesLeft -= chunk.length
    if (this.#bytesLeft < 0) throw garbageError(new Error('The reply is out of all proportion to the request'))
    this.#readText(this.#cutter.push(chunks), out)
  }

  end(out: ChatEvent[]): void {
    this.#readText(this.#cutter.end(), out)
    if (this.#json !== '') this.#take(parse(this.#json), out)
    if (this.#open.length > 0) throw garbageError(new Error('The last event is not JSON'))
    if (this.#decoder?.hasEnd === false) throw garbageError(new Error('The reply has no end'))
  }

  #readText(text: string, out: ChatEvent[]): void {
    if (text === '') return
    let start = 0
    if (this.#form === undefined) {
      start = /^[\uFEFF\s]*/.exec(text)?.[0].length ?? 0
      if (start === text.length) return
      this.#form = text.charCodeAt(start) === BRACE ? 'json' : 'events'
    }
    if (this.#form === 'json') {
      this.#json += text.slice(start)
      return
    }
    while (start < text.length && !this.isDone) {
      let end = text.indexOf('\n', start)
      if (end < 0) end = text.length
      this.#readLine(text, start, end, out)
      start = end + 1
    }
  }

  #readLine(text: string, start: number, lineEnd: number, out: ChatEvent[]): void {
    this.lines++
    let end = lineEnd
    if (end > start && text.charCodeAt(end - 1) === CARRIAGE_RETURN) end--
    if (end === start) {
      this.#isErrorEvent = false
      if (this.#open.length > 0) throw garbageError(new Error('An event is not JSON'))
    } else if (text.startsWith('data:', start)) {
      let from = start + 5
      while (text.charCodeAt(from) === SPACE) from++
      if (from < end) this.#readData(text.slice(from, end), out)
    } else if (text.charCodeAt(start) === COLON) {
      // A comment, sent to keep the connection alive.
    } else if (text.startsWith('event:', start)) {
      this.#isErrorEvent = text.slice(start + 6, end).trim() === 'error'
    } else if (text.startsWith('error:', start)) {
      throw streamError(parse(text.slice(start + 6, end)), this.#secrets)
    }
  }

  #readData(data: string, out: ChatEvent[]): void {
    if (data.charCodeAt(0) === BRACKET && data.trimEnd() === '[DONE]') {
      this.isDone = true
      return
    }
    const isPlain = this.#open.length === 0 && !this.#isErrorEvent && !this.#decoder
    const text = isPlain ? this.#template.match(data) : undefined
    if (text !== undefined) {
      this.reply.takeText(this.#template.field, text, out)
      return
    }
    let value: unknown
    try {
      value = JSON.parse(this.#open.length === 0 ? data : `${this.#open.join('\n')}\n${data}`)
    } catch (error) {
      this.#open.push(data)
      if (this.#open.length > MAX_OPEN_LINES) throw garbageError(error)
      return
    }
    if (this.#open.length > 0) this.#open = []
    if (this.#isErrorEvent) throw streamError(value, this.#secrets)
    this.#take(value, out)
    if (isPlain) this.#template.learn(data, value)
  }

  #take(value: unknown, out: ChatEvent[]): void {
    this.reply.take(this.#decoder ? this.#decoder.chunkOf(value) : value, out)
    if (this.#decoder?.isOver) this.isDone = true
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw garbageError(error)
  }
}

const MAX_LINE_BYTES = 1_048_576

const LINE_FEED = 10

class LineTooLongError extends Error {
  override name = 'LineTooLongError'
}

/**
 * Cuts a stream of bytes into text that ends where a line ends. A line feed is never part of another character in
 * UTF-8, so characters stay whole wherever the network cut the bytes.
 */
class LineCutter {
  #rest: Buffer[] = []
  #restBytes = 0
  readonly #maxBytes: number

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes
  }

  push(chunks: Buffer[]): string {
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    if (end === 0) {
      this.#keep(bytes)
      return ''
    }
    let text: string
    if (this.#restBytes === 0) {
      text = bytes.toString('utf8', 0, end)
    } else {
      const firstEnd = bytes.indexOf(LINE_FEED) + 1
      if (this.#restBytes + firstEnd > this.#maxBytes) throw new LineTooLongError('A line is too long')
      this.#rest.push(bytes.subarray(0, end))
      text = Buffer.concat(this.#rest).toString('utf8')
      this.#rest = []
      this.#restBytes = 0
    }
    if (end < bytes.length) this.#keep(bytes.subarray(end))
    return text
  }

  end(): string {
    const text = Buffer.concat(this.#rest).toString('utf8')
    this.#rest = []
    this.#restBytes = 0
    return text
  }

  #keep(bytes: Buffer): void {
    this.#restBytes += bytes.length
    if (this.#restBytes > this.#maxBytes) throw new LineTooLongError('A line is too long')
    this.#rest.push(bytes)
  }
}

const MAX_TEMPLATE_MISSES = 64

const FIELDS: Record<TextField, RegExp> = {
  content: /[^\\]"content":\s*"/g,
  reasoning_content: /[^\\]"reasoning_content":\s*"/g,
  reasoning: /[^\\]"reasoning":\s*"/g,
}

const LITERAL = /^[^"\\\p{Cc}]*$/u

/**
 * Reads chunks without a parser once one was parsed: nearly all chunks of a stream are the chunk before with another
 * text. Parsing is two fifths of the cost of an event.
 */
class TextTemplate {
  field: TextField = 'content'
  #prefix = ''
  #suffix = ''
  #misses = 0

  match(data: string): string | undefined {
    if (!this.#fits(data)) return undefined
    const text = data.slice(this.#prefix.length, data.length - this.#suffix.length)
    return LITERAL.test(text) ? text : undefined
  }

  learn(data: string, value: unknown): void {
    if (this.#misses >= MAX_TEMPLATE_MISSES) return
    // The template holds; this text alone was not literal, as a line feed never is.
    if (this.#fits(data)) return
    const parsed = onlyText(value)
    const place = parsed && placeOf(data, parsed.field, parsed.text)
    if (parsed === undefined || place === undefined) {
      this.#misses++
      return
    }
    this.field = parsed.field
    this.#prefix = flat(data.slice(0, place.start))
    this.#suffix = flat(data.slice(place.end))
  }

  #fits(data: string): boolean {
    const { length } = this.#prefix
    const end = data.length - this.#suffix.length
    // `startsWith` takes as long as parsing the whole line does when both strings are parts of longer ones.
    return length > 0 && end >= length && data.slice(0, length) === this.#prefix && data.slice(end) === this.#suffix
  }
}

function placeOf(data: string, field: TextField, text: string) {
  const name = FIELDS[field]
  name.lastIndex = 0
  if (name.exec(data) === null) return undefined
  const start = name.lastIndex
  const end = data.indexOf('"', start)
  const isSure = data.slice(start, end) === text && LITERAL.test(text) && name.exec(data) === null
  return isSure ? { start, end } : undefined
}

const flat = (text: string): string => Buffer.from(text).toString()

const QUIET = new Set(['choices', 'id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier', 'provider'])

function onlyText(value: unknown): { field: TextField; text: string } | undefined {
  if (!isWireObject(value) || !Array.isArray(value.choices) || value.choices.length !== 1) return undefined
  const [choice] = value.choices
  if (!isWireObject(choice) || choice.index !== 0 || !isWireObject(choice.delta)) return undefined
  if (choice.finish_reason != null || choice.logprobs != null || choice.usage != null) return undefined
  for (const name in value) if (value[name] !== null && !QUIET.has(name)) return undefined
  let parsed: { field: TextField; text: string } | undefined
  for (const [name, field] of Object.entries(choice.delta)) {
    if (field === null || field === '' || name === 'role') continue
    if (parsed !== undefined || typeof field !== 'string' || !Object.hasOwn(FIELDS, name)) return undefined
    parsed = { field: name as TextField, text: field }
  }
  return parsed
}

const AFTER_FINISH_MS = 2_000

/** Reads one answer, with its deadlines, from a reply in any form that `decoder` makes chunks of. */
export class Answer {
  readonly #exchange: Exchange
  readonly #reader: ReplyReader
  readonly #timeouts: ReplyOptions['timeouts']
  readonly #signal: AbortSignal
  readonly #secrets: string[]
  readonly #model: string
  readonly #isWhole: boolean
  readonly #firstDueAt: number
  /** When the reader began to wait, or a whole line last came: bytes that make no line are no sign of life. */
  #aliveAt = 0
  #hasStarted = false
  #isOver = false
  #failure?: unknown

  constructor(exchange: Exchange, request: ChatRequest, options: ReplyOptions, decoder?: ChunkDecoder) {
    this.#exchange = exchange
    this.#model = request.model
    this.#reader = new ReplyReader(request, options.secrets, decoder)
    this.#timeouts = options.timeouts
    this.#signal = options.signal
    this.#secrets = options.secrets
    this.#isWhole = request.isWhole === true
    const { wholeMs, firstTokenMs } = options.timeouts
    this.#firstDueAt = performance.now() + (this.#isWhole ? wholeMs : firstTokenMs)
  }

  /**
   * Reads the next events, at least one; undefined when the answer is complete.
   *
   * @throws UpstreamError, or the signal's reason when it aborted. Events before a failure are returned first.
   */
  async next(): Promise<ChatEvent[] | undefined> {
    if (this.#failure !== undefined) throw this.#failure
    const out: ChatEvent[] = []
    this.#aliveAt = performance.now()
    try {
      if (this.#exchange.status === 0) await this.#openBody()
      while (out.length === 0 && !this.#isOver) await this.#readInto(out)
    } catch (thrown) {
      this.#exchange.destroy()
      this.#isOver = true
      this.#failure = this.#explain(thrown)
      if (out.length === 0) throw this.#failure
    }
    this.#hasStarted ||= out.length > 0
    return out.length > 0 ? out : undefined
  }

  async #openBody(): Promise<void> {
    await this.#exchange.head(this.#firstDueAt)
    if (this.#exchange.status === 200) return
    throw await readRefusal(this.#exchange, this.#firstDueAt, this.#secrets)
  }

  async #readInto(out: ChatEvent[]): Promise<void> {
    const { reply } = this.#reader
    let chunks = this.#exchange.take()
    if (chunks === undefined) {
      try {
        chunks = await this.#exchange.read(this.#dueAt())
      } catch (error) {
        // All choices have ended and only their count is missing: an answer, though an uncounted one.
        if (this.#signal.aborted || !reply.isFinished) throw error
        this.#end(out)
        return
      }
    }
    if (chunks === undefined) {
      this.#reader.end(out)
      if (!reply.hasOutput) throw garbageError(new Error('The reply is empty'))
      this.#end(out)
      return
    }
    const { lines } = this.#reader
    this.#reader.push(chunks, out)
    if (out.length === 0 && this.#reader.lines > lines) this.#aliveAt = performance.now()
    if (reply.isOverlong) {
      noteOverlong(this.#model)
      this.#end(out)
      this.#exchange.destroy()
    } else if (this.#reader.isDone) {
      if (!reply.hasOutput) throw garbageError(new Error('The reply is empty'))
      this.#end(out)
    }
  }

  #dueAt(): number {
    if (!this.#hasStarted) return this.#firstDueAt
    return this.#aliveAt + (this.#reader.reply.isFinished ? AFTER_FINISH_MS : this.#timeouts.idleMs)
  }

  #end(out: ChatEvent[]): void {
    this.#isOver = true
    this.#reader.reply.end(out)
    this.#exchange.finish()
  }

  #explain(thrown: unknown): unknown {
    const fault = thrown instanceof LineTooLongError ? garbageError(thrown) : thrown
    const first = this.#isWhole ? 'answer' : 'first token'
    return failureOf(fault, this.#hasStarted ? 'next token' : first, this.#signal)
  }
}
