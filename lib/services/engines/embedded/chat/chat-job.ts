import 'server-only'
import { appendEvent } from '@/lib/services/engines/embedded/chat/chat-outbox'
import { type ChatEvent, EngineError } from '@/lib/services/engines/engine'

/** A reader that takes nothing for this long while there is something gives its place to others. */
const READER_STALL_MS = 120_000

/** The parent's end of one request: what has arrived and was not read yet. */
export class ChatJob {
  /** Resolves when the child has let go of the request, which may be after its reader left. */
  readonly done: Promise<void>
  readonly #onRead: (count: number) => void
  readonly #cancel: () => void
  readonly #resolveDone: () => void
  readonly #stall: NodeJS.Timeout
  #events: ChatEvent[] = []
  #unreadCount = 0
  #isEnded = false
  #error: unknown
  #wake?: () => void

  /** `onRead` hears how many of the child's deltas were taken, `cancel` tells the child that no more are wanted. */
  constructor(onRead: (count: number) => void, cancel: () => void) {
    const done = Promise.withResolvers<void>()
    this.done = done.promise
    this.#resolveDone = done.resolve
    this.#onRead = onRead
    this.#cancel = cancel
    this.#stall = setTimeout(() => this.#onStall(), READER_STALL_MS).unref()
  }

  arrive(events: ChatEvent[], count: number): void {
    if (this.#isEnded) return
    for (const event of events) appendEvent(this.#events, event)
    this.#unreadCount += count
    this.#wake?.()
  }

  /** The child is through with it: with success, or with an error that is thrown after what has arrived. */
  finish(error?: unknown): void {
    this.#close(error)
    this.#resolveDone()
  }

  /** The reader is gone: what was not read is forgotten, and the child is stopped. Nothing happens after the end. */
  abandon(): void {
    if (this.#isEnded) return
    this.#events = []
    this.#close(undefined)
    this.#cancel()
  }

  /** The next event, or nothing at the end. One reader at a time. */
  async read(): Promise<ChatEvent | undefined> {
    for (;;) {
      const event = this.#events.shift()
      if (event) {
        this.#stall.refresh()
        if (this.#events.length === 0) this.#giveCredit()
        return event
      }
      if (this.#isEnded) {
        if (this.#error !== undefined) throw this.#error
        return undefined
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #onStall(): void {
    if (this.#events.length === 0) {
      this.#stall.refresh()
      return
    }
    this.#close(new EngineError('timeout', 'The answer was not read for two minutes.'))
    this.#cancel()
  }

  #close(error: unknown): void {
    clearTimeout(this.#stall)
    if (this.#isEnded) return
    this.#isEnded = true
    this.#error = error
    this.#wake?.()
  }

  #giveCredit(): void {
    if (!this.#isEnded && this.#unreadCount > 0) this.#onRead(this.#unreadCount)
    this.#unreadCount = 0
  }
}
