/** A map of at most `capacity` entries that live `ttlMs`; the least recently used goes first. */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, { value: V; expiresAt: number }>()
  readonly #capacity: number
  readonly #ttlMs: number
  #last: K | undefined

  constructor(capacity: number, ttlMs: number) {
    this.#capacity = capacity
    this.#ttlMs = ttlMs
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K, nowMs: number): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.expiresAt <= nowMs) {
      this.#entries.delete(key)
      return undefined
    }
    if (key !== this.#last) this.#put(key, entry)
    return entry.value
  }

  set(key: K, value: V, nowMs: number): void {
    this.#put(key, { value, expiresAt: nowMs + this.#ttlMs })
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value as K)
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  #put(key: K, entry: { value: V; expiresAt: number }): void {
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#last = key
  }
}

const MAX_ENTRIES = 200_000
const EXPIRY_INTERVAL_MS = 60_000

/** Maps keys to entries that know when they end; forgets the oldest tenth when it is full. */
export class Expiring<T extends { endsAtMs: number }> {
  readonly #entries = new Map<string, T>()
  readonly #now: () => number
  readonly #capacity: number
  #sweepAt = 0

  constructor(now: () => number, capacity = MAX_ENTRIES) {
    this.#now = now
    this.#capacity = capacity
  }

  peek(key: string): T | undefined {
    const known = this.#entries.get(key)
    return known !== undefined && known.endsAtMs > this.#now() ? known : undefined
  }

  get(key: string, create: () => T): T {
    return this.peek(key) ?? this.put(key, create())
  }

  /**
   * Finds the entry that ends at this time, or puts a new one. After the clock was set back, an open window may end long
   * after the one asked for: it starts anew, or a minute would last as long as the correction.
   */
  ending(key: string, endsAtMs: number, create: () => T): T {
    const known = this.peek(key)
    return known?.endsAtMs === endsAtMs ? known : this.put(key, create())
  }

  put(key: string, entry: T): T {
    const nowMs = this.#now()
    if (nowMs >= this.#sweepAt || this.#entries.size >= this.#capacity) this.#sweep(nowMs)
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  #sweep(nowMs: number): void {
    this.#sweepAt = nowMs + EXPIRY_INTERVAL_MS
    for (const [key, { endsAtMs }] of this.#entries) if (endsAtMs <= nowMs) this.#entries.delete(key)
    if (this.#entries.size < this.#capacity) return
    // A tenth goes at a time, so that a full map is not walked for every newcomer.
    const limit = Math.floor(this.#capacity * 0.9)
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= limit) return
      this.#entries.delete(key)
    }
  }
}
