import 'server-only'

/** How a stream came to its end. `left`: the reader cancelled, or never read at all. */
export type StreamEnd = 'finished' | 'left' | 'failed'

/**
 * Chunks as a byte stream that is read by pulling, with `done` run exactly once when it ends, breaks or is left.
 *
 * A generator that was never read does not run its `finally` block, so the end is counted here and not in the generator:
 * a cancelled stream first tells `done`, then closes the iterator, which may have to wait for what it awaits.
 */
export function byteStream(
  chunks: AsyncIterable<Uint8Array>,
  done: (end: StreamEnd, error?: unknown) => void,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  let isDone = false
  const finish = (end: StreamEnd, error?: unknown) => {
    if (isDone) return
    isDone = true
    done(end, error)
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await iterator.next()
          if (isDone) return
          if (next.done) {
            finish('finished')
            controller.close()
          } else {
            controller.enqueue(next.value)
          }
        } catch (error) {
          finish('failed', error)
          controller.error(error)
        }
      },
      async cancel() {
        finish('left')
        await iterator.return?.()
      },
    },
    // Nothing is read before somebody reads: a reader that stalls costs one chunk.
    { highWaterMark: 0 },
  )
}
