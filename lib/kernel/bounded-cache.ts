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
