import 'server-only'
import { EngineError } from '@/lib/engines/engine'

/** What a caller is told when the queue is full: about one short answer. */
const RETRY_AFTER_SECONDS = 5

/** A fixed number of places, and a bounded queue in front of them. First come, first served. */
export class Slots {
  readonly #size: number
  readonly #maxQueued: number
  readonly #queue: (() => void)[] = []
  #active = 0

  constructor(size: number, maxQueued: number) {
    this.#size = size
    this.#maxQueued = maxQueued
  }

  get active(): number {
    return this.#active
  }

  get queued(): number {
    return this.#queue.length
  }

  /**
   * Waits for a place and returns the function that gives it back; calling it twice does nothing.
   *
   * @throws EngineError `at-capacity` at once when the queue is full; the signal's reason when aborted while waiting.
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    if (this.#active < this.#size) this.#active++
    else await this.#wait(signal)
    let isHeld = true
    return () => {
      if (isHeld) this.#leave()
      isHeld = false
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#queue.length >= this.#maxQueued) {
      throw new EngineError('at-capacity', 'This model is busy with other requests. Try again in a few seconds.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(enter), 1)
        reject(signal.reason)
      }
      const enter = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#queue.push(enter)
    })
  }

  /** The place goes to the next in the queue without becoming free in between. */
  #leave(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#active--
  }
}
