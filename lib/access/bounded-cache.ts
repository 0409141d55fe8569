/** A map of at most `capacity` entries that live `ttlMs`; the one that was not used for the longest goes first. */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, { value: V; expiresAt: number }>()
  readonly #capacity: number
  readonly #ttlMs: number

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
    this.#entries.delete(key)
    if (entry.expiresAt <= nowMs) return undefined
    // A Map keeps the order of insertion: what was used last stands last.
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: K, value: V, nowMs: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, expiresAt: nowMs + this.#ttlMs })
    if (this.#entries.size > this.#capacity) this.#entries.delete(this.#entries.keys().next().value as K)
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }
}
