import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'

type Work<T> = { readonly promise: Promise<T>; cancel(reason: unknown): void }

/**
 * `work` is cleared when it ends or nobody waits: a map holds on to what was deleted from it
 * (kernel/swap-remove-list.ts).
 */
type Shared<T> = { work?: Work<T>; id: string; begunAt: number; waiting: number }

/** An answer may be as old as its question: older work is asked again. */
const MAX_AGE_MS = 1_000

type Joined<T> = { value: T; askedAs: string }

/**
 * Shares reads that are under way between callers that ask the same. The work goes on until the last of them has left.
 */
export class SingleFlight<T> {
  readonly #running = new Map<string, Shared<T>>()

  get size(): number {
    return this.#running.size
  }

  /** @throws the signal's reason when it aborts; whatever the work throws. */
  join(key: string, id: string, signal: AbortSignal, begin: () => Work<T>): Promise<Joined<T>> {
    const now = performance.now()
    const running = this.#running.get(key)
    const shared = running && now - running.begunAt < MAX_AGE_MS ? running : this.#begin(key, id, now, begin)
    const work = shared.work!
    shared.waiting++
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason)
        if (--shared.waiting > 0) return
        this.#forget(key, shared)
        work.cancel(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      work.promise.then(
        (value) => {
          signal.removeEventListener('abort', leave)
          resolve({ value, askedAs: shared.id })
        },
        (error) => {
          signal.removeEventListener('abort', leave)
          reject(error)
        },
      )
    })
  }

  #begin(key: string, id: string, begunAt: number, begin: () => Work<T>): Shared<T> {
    const work = begin()
    const shared: Shared<T> = { work, id, begunAt, waiting: 0 }
    this.#running.set(key, shared)
    const forget = () => this.#forget(key, shared)
    work.promise.then(forget, forget)
    return shared
  }

  #forget(key: string, shared: Shared<T>): void {
    shared.work = undefined
    if (this.#running.get(key) === shared) this.#running.delete(key)
  }
}

export const singleFlight = <T>(name: string): SingleFlight<T> => perProcess(name, () => new SingleFlight<T>())
