import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'

/** Work whose result several callers get. */
export type Work<T> = { readonly promise: Promise<T>; cancel(reason: unknown): void }

/** `work` is let go of when it ends or nobody waits: a map holds on to what was deleted from it (core/bag.ts). */
type Shared<T> = { work?: Work<T>; id: string; begunAt: number; waiting: number }

/** An answer may be as old as its question: what was asked longer ago is asked again. */
const MAX_AGE_MS = 1_000

/** What a caller of shared work gets, and by which id the work was asked for. */
export type Joined<T> = { value: T; askedAs: string }

/**
 * Reads that are asked for while the same one is under way, with the work of the first. It goes on until the last of them
 * has left.
 */
export class SingleFlight<T> {
  readonly #running = new Map<string, Shared<T>>()

  get size(): number {
    return this.#running.size
  }

  /**
   * Joins the work of this key, or begins it.
   *
   * @throws the signal's reason when it aborts; whatever the work throws.
   */
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

  /** Whoever comes from now on begins anew. */
  #forget(key: string, shared: Shared<T>): void {
    shared.work = undefined
    if (this.#running.get(key) === shared) this.#running.delete(key)
  }
}

export const singleFlight = <T>(name: string): SingleFlight<T> => perProcess(name, () => new SingleFlight<T>())
