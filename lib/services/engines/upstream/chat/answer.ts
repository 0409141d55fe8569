import 'server-only'
import type { ChatEvent, ChatRequest } from '@/lib/services/engines/engine'
import { type ChunkDecoder, LineTooLongError, ReplyReader } from '@/lib/services/engines/upstream/chat/reply-reader'
import { garbageError } from '@/lib/services/engines/upstream/failures'
import {
  type Exchange,
  failureOf,
  noteOverlong,
  type ReplyOptions,
  readRefusal,
} from '@/lib/services/engines/upstream/http-exchange'

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
