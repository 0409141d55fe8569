import 'server-only'

type Queue = { max: number; full: () => Error }

export class Semaphore {
  readonly #size: number
  readonly #queue?: Queue
  readonly #waiting = new Map<() => void, AbortSignal>()
  #active = 0

  constructor(size: number, queue?: Queue) {
    this.#size = size
    this.#queue = queue
  }

  get active(): number {
    return this.#active
  }

  get queued(): number {
    return this.#waiting.size
  }

  /** Tells the place in line, from 1, of who waits with this signal. */
  positionOf(signal: AbortSignal): number | undefined {
    const index = [...this.#waiting.values()].indexOf(signal)
    return index < 0 ? undefined : index + 1
  }

  /**
   * Waits for a permit and returns the function that releases it; a second release does nothing.
   *
   * @throws the queue's error when it is full; the signal's reason when aborted.
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#active < this.#size) this.#active++
    else await this.#wait(signal)
    let isHeld = true
    const leave = () => {
      if (isHeld) this.#leave()
      isHeld = false
    }
    // The place may have been given in the moment of the abort.
    if (signal.aborted) leave()
    signal.throwIfAborted()
    return leave
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#queue && this.#waiting.size >= this.#queue.max) throw this.#queue.full()
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#waiting.delete(enter)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.set(enter, signal)
    })
  }

  #leave(): void {
    const next = this.#waiting.keys().next()
    if (next.done) {
      this.#active--
      return
    }
    // Taken off here and not by the one who waits: two places may come free before it runs.
    this.#waiting.delete(next.value)
    next.value()
  }
}

/**
 * Maps a list with at most `limit` calls under way, keeping its order. The first failure is thrown at once; calls under
 * way are not cancelled and no further one starts.
 */
export async function mapLimited<In, Out>(
  items: readonly In[],
  limit: number,
  map: (item: In, index: number) => Promise<Out>,
): Promise<Out[]> {
  const results = new Array<Out>(items.length)
  let next = 0
  let hasFailed = false
  async function work(): Promise<void> {
    while (next < items.length && !hasFailed) {
      const index = next++
      try {
        results[index] = await map(items[index]!, index)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}
