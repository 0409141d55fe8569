import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { BoundedCache } from '@/lib/kernel/bounded-cache'

const TTL_MS = 5_000
const MAX_CACHED = 10_000
const MAX_BATCH = 500
const MAX_WAITING = 10_000

type Load<T> = (hashes: string[]) => Promise<Map<string, T>>

export type Lookup<T> = {
  find(hash: string, isFresh?: boolean): T | undefined | Promise<T | undefined>
  /** Drops what is known, also from a statement under way: its answer may be from before the change. */
  forget(hash: string): void
}

type Batch<T> = Map<string, PromiseWithResolvers<T | undefined>>

/**
 * Looks credentials up by hash. Good and bad answers are cached apart, so that guessing cannot push out what is in use,
 * and the misses of one moment share a statement. Uses a monotonic clock, so that a revoked key is never believed for
 * longer.
 */
export function createLookup<T>(load: Load<T>, now: () => number = () => performance.now()): Lookup<T> {
  const found = new BoundedCache<string, T>(MAX_CACHED, TTL_MS)
  const missing = new BoundedCache<string, true>(MAX_CACHED, TTL_MS)
  const waiting: Batch<T> = new Map()
  let underWay: Batch<T> = new Map()
  let isRunning = false

  return {
    find(hash, isFresh = false) {
      const nowMs = now()
      const known = isFresh ? undefined : found.get(hash, nowMs)
      if (known !== undefined) return known
      if (missing.get(hash, nowMs)) return undefined
      // A fresh question must not get the answer of a statement that began before it was asked.
      const running = isFresh ? undefined : underWay.get(hash)
      return (running ?? enqueue(hash)).promise
    },
    forget(hash) {
      found.delete(hash)
      missing.delete(hash)
      underWay.delete(hash)
    },
  }

  function enqueue(hash: string) {
    const joined = waiting.get(hash)
    if (joined) return joined
    if (waiting.size >= MAX_WAITING) {
      throw new ApiError('SERVICE_UNAVAILABLE', 'Too many sign-ins at once. Try again in a moment.', {
        retryAfterSeconds: 1,
      })
    }
    const entry = Promise.withResolvers<T | undefined>()
    waiting.set(hash, entry)
    if (!isRunning) {
      isRunning = true
      setImmediate(drain)
    }
    return entry
  }

  async function drain(): Promise<void> {
    while (waiting.size > 0) {
      const batch: Batch<T> = new Map([...waiting].slice(0, MAX_BATCH))
      for (const hash of batch.keys()) waiting.delete(hash)
      underWay = new Map(batch)
      await answer(batch)
      underWay = new Map()
    }
    isRunning = false
  }

  async function answer(batch: Batch<T>): Promise<void> {
    try {
      const records = await load([...batch.keys()])
      const nowMs = now()
      for (const [hash, entry] of batch) {
        const record = records.get(hash)
        // Forgotten while the statement ran: answer those who asked before, keep nothing.
        if (underWay.has(hash)) {
          if (record === undefined) missing.set(hash, true, nowMs)
          else found.set(hash, record, nowMs)
        }
        if (record === undefined) found.delete(hash)
        entry.resolve(record)
      }
    } catch (error) {
      for (const entry of batch.values()) entry.reject(error)
    }
  }
}
