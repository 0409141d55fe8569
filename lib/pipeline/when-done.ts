import 'server-only'

/** How a stream came to its end. `left`: the reader cancelled, or never read at all. */
export type StreamEnd = 'finished' | 'left' | 'failed'

type Done = (end: StreamEnd, error?: unknown) => void

/**
 * Chunks that are read by pulling, with `done` run exactly once when they end, break or are left.
 *
 * A generator that was never read does not run its `finally` block, so the end is counted here and not in the generator.
 */
export class Chunks {
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #done: Done
  #isOver = false

  constructor(chunks: AsyncIterable<Uint8Array>, done: Done) {
    this.#iterator = chunks[Symbol.asyncIterator]()
    this.#done = done
  }

  /** The next one; nothing at the end, and for who has left. @throws what the source throws. */
  async next(): Promise<Uint8Array | undefined> {
    try {
      const next = await this.#iterator.next()
      if (this.#isOver) return undefined
      if (!next.done) return next.value
      this.#finish('finished')
      return undefined
    } catch (error) {
      this.#finish('failed', error)
      throw error
    }
  }

  /** Nobody reads on: `done` hears it first, since the source may have to wait for what it awaits before it closes. */
  async leave(): Promise<void> {
    if (this.#isOver) return
    this.#finish('left')
    await this.#iterator.return?.()
  }

  #finish(end: StreamEnd, error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#done(end, error)
  }
}

/** The same as the platform has it. */
export function byteStream(chunks: Chunks): ReadableStream<Uint8Array> {
  let isLeft = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await chunks.next()
          if (chunk !== undefined) controller.enqueue(chunk)
          else if (!isLeft) controller.close()
        } catch (error) {
          controller.error(error)
        }
      },
      cancel() {
        isLeft = true
        return chunks.leave()
      },
    },
    // Nothing is read before somebody reads: a reader that stalls costs one chunk.
    { highWaterMark: 0 },
  )
}
