import 'server-only'
import type { ChatEvent, ChatRequest } from '@/lib/services/engines/engine'
import { Reply } from '@/lib/services/engines/upstream/chat/reply'
import { ResponsesEvents } from '@/lib/services/engines/upstream/chat/responses-wire'
import { TextTemplate } from '@/lib/services/engines/upstream/chat/text-template'
import { garbageError, streamError } from '@/lib/services/engines/upstream/failures'

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

export class LineTooLongError extends Error {
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
