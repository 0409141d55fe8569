import 'server-only'
import { HELD_CHARS_PER_TOKEN, HELD_TOKENS_PER_EXTRA_BYTE } from '@/lib/contract/estimates'
import type { ChatEngine, ChatEvent, ChatRequest } from '@/lib/services/engines/engine'
import { LineTooLongError, ReplyReader } from '@/lib/services/engines/upstream/chat/reply-reader'
import { responsesBody } from '@/lib/services/engines/upstream/chat/responses-wire'
import { type WireOptions, wireBody } from '@/lib/services/engines/upstream/chat/wire'
import type { Exchange } from '@/lib/services/engines/upstream/exchange'
import { noteOverlong } from '@/lib/services/engines/upstream/exchange'
import { garbageError } from '@/lib/services/engines/upstream/failures'
import {
  createUpstreamClient,
  failureOf,
  readRefusal,
  type UpstreamOptions,
} from '@/lib/services/engines/upstream/http-client'
import type { Ask, ReplyOptions } from '@/lib/services/engines/upstream/retry'

export type UpstreamChatOptions = UpstreamOptions &
  WireOptions & {
    promptLogprobs?: boolean
  }

const HEADERS = ['content-type', 'application/json', 'accept', 'text/event-stream']

/**
 * Creates a chat engine of one OpenAI-compatible server, or several. A failure before the first event is tried again,
 * twice at most and on another base URL where there is one; a later one is not.
 */
export function createUpstreamChatEngine(options: UpstreamChatOptions): ChatEngine {
  const client = createUpstreamClient(options)

  function streamBatches(asked: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatEvent[], void, void> {
    const request = options.promptLogprobs && !asked.nativeSearch ? asked : { ...asked, promptLogprobs: undefined }
    return client.read(askFor(request), signal)
  }

  function askFor(request: ChatRequest): Ask<ChatEvent[]> {
    const [path, bodyOf] = request.nativeSearch
      ? (['/responses', responsesBody] as const)
      : (['/chat/completions', wireBody] as const)
    let body: Buffer | undefined
    let isLimitReported = request.bound !== 'open'
    return {
      call() {
        body ??= bodyOf(request, options)
        return { path, headers: HEADERS, body }
      },
      read: (exchange, options) => new Answer(exchange, request, options),
      cacheKey: request.cacheKey,
      begin: (batch, retries) => [{ type: 'route', router: options.name, retries }, ...(batch ?? [])],
      mend({ reason }) {
        if (reason !== 'context-overflow' || !isLimitReported || request.bound === 'firm') return false
        isLimitReported = false
        body = bodyOf({ ...request, bound: 'open' }, options)
        return true
      },
    }
  }

  return {
    streamBatches,
    async *stream(request, signal) {
      for await (const batch of streamBatches(request, signal)) yield* batch
    },
    countTokens: estimateTokens,
    close: client.close,
  }
}

/**
 * Estimates tokens without a tokenizer: an upper estimate for usual text of any script, linear in its length. Real
 * tokenizers need about 4 characters of English a token, 3 of code, and 0.7 to 1.3 tokens a CJK character.
 */
export function estimateTokens(text: string): number {
  const extraBytes = Buffer.byteLength(text) - text.length
  return Math.ceil(text.length / HELD_CHARS_PER_TOKEN + extraBytes * HELD_TOKENS_PER_EXTRA_BYTE)
}

const AFTER_FINISH_MS = 2_000
const WHOLE_REPLY_MS = 120_000

class Answer {
  readonly #exchange: Exchange
  readonly #reader: ReplyReader
  readonly #timeouts: ReplyOptions['timeouts']
  readonly #signal: AbortSignal
  readonly #secrets: string[]
  readonly #model: string
  readonly #firstDueAt: number
  /** When the reader began to wait, or a whole line last came: bytes that make no line are no sign of life. */
  #aliveAt = 0
  #hasStarted = false
  #isOver = false
  #failure?: unknown

  constructor(exchange: Exchange, request: ChatRequest, options: ReplyOptions) {
    this.#exchange = exchange
    this.#model = request.model
    this.#reader = new ReplyReader(request, options.secrets)
    this.#timeouts = options.timeouts
    this.#signal = options.signal
    this.#secrets = options.secrets
    this.#firstDueAt = performance.now() + (request.promptLogprobs ? WHOLE_REPLY_MS : options.timeouts.firstTokenMs)
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
    return failureOf(fault, this.#hasStarted, this.#signal)
  }
}
