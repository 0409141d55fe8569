/**
 * Answers without waiting wherever the number is local, so that a request in one process never leaves its turn of the
 * event loop for a limit.
 */
export interface WindowStore {
  take(key: string, limit: number, endsAtMs: number): Taken | Promise<Taken>
  spent(key: string, limit: number, endsAtMs: number): number | Promise<number>
  /** Counts what is known only afterwards: it may pass the limit. */
  spend(key: string, amount: number, limit: number, endsAtMs: number): void
}

export const windowEnd = (nowMs: number, windowMs: number): number => (Math.floor(nowMs / windowMs) + 1) * windowMs

export const secondsUntil = (endsAtMs: number, nowMs: number): number =>
  Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000))

export type Taken = { isAllowed: boolean; left: number }

export interface LocalWindows extends WindowStore {
  take(key: string, limit: number, endsAtMs: number): Taken
  spent(key: string, limit: number, endsAtMs: number): number
}

export function memoryWindows(now: () => number = Date.now): LocalWindows {
  const open = new Expiring<{ used: number; endsAtMs: number }>(now)
  const windowOf = (key: string, endsAtMs: number) => windowIn(open, key, endsAtMs, () => ({ used: 0, endsAtMs }))
  return {
    take(key, limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      if (window.used >= limit) return { isAllowed: false, left: 0 }
      window.used++
      return { isAllowed: true, left: limit - window.used }
    },
    spent: (key, _limit, endsAtMs) => windowOf(key, endsAtMs).used,
    spend(key, amount, _limit, endsAtMs) {
      windowOf(key, endsAtMs).used += amount
    },
  }
}

/**
 * After the clock was set back, an open window may end long after the one asked for: it starts anew, or a minute would
 * last as long as the correction.
 */
export function windowIn<T extends { endsAtMs: number }>(
  open: Expiring<T>,
  key: string,
  endsAtMs: number,
  create: () => T,
): T {
  const known = open.peek(key)
  return known?.endsAtMs === endsAtMs ? known : open.put(key, create())
}

const MAX_WINDOWS = 200_000
const SWEEP_EVERY_MS = 60_000

export class Expiring<T extends { endsAtMs: number }> {
  readonly #entries = new Map<string, T>()
  readonly #now: () => number
  readonly #capacity: number
  #sweepAt = 0

  constructor(now: () => number, capacity = MAX_WINDOWS) {
    this.#now = now
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  peek(key: string): T | undefined {
    const known = this.#entries.get(key)
    return known !== undefined && known.endsAtMs > this.#now() ? known : undefined
  }

  get(key: string, create: () => T): T {
    return this.peek(key) ?? this.put(key, create())
  }

  put(key: string, entry: T): T {
    const nowMs = this.#now()
    if (nowMs >= this.#sweepAt || this.#entries.size >= this.#capacity) this.#sweep(nowMs)
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  #sweep(nowMs: number): void {
    this.#sweepAt = nowMs + SWEEP_EVERY_MS
    for (const [key, { endsAtMs }] of this.#entries) if (endsAtMs <= nowMs) this.#entries.delete(key)
    if (this.#entries.size < this.#capacity) return
    // A tenth goes at a time, so that a full map is not walked for every newcomer.
    const keep = Math.floor(this.#capacity * 0.9)
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= keep) return
      this.#entries.delete(key)
    }
  }
}
