/** A bucket counts as long as any part of its hour is within 24 hours: this hour and the 24 before it. */
const BUCKETS = 25
export const HOUR_MS = 3_600_000

/** The whole hour of a moment, counted from 1970. */
export const hourOf = (nowMs: number): number => Math.floor(nowMs / HOUR_MS)

/**
 * What was used in the last 24 hours, by the hour. Every answer moves it on to the hour it is asked for; it never goes
 * back, whatever a clock does.
 */
export class RollingDay {
  readonly #buckets = new Float64Array(BUCKETS)
  #newest = 0
  #total = 0

  add(hour: number, amount: number): void {
    this.#advance(hour)
    // Older than the window: it counts no more.
    if (hour <= this.#newest - BUCKETS) return
    this.#buckets[hour % BUCKETS]! += amount
    this.#total += amount
  }

  total(hour: number): number {
    this.#advance(hour)
    return this.#total
  }

  /** The moment from which on no more than `most` is left of what counts now; nothing when that is never, for `most` < 0. */
  easesAtMs(hour: number, most: number): number | undefined {
    this.#advance(hour)
    let left = this.#total
    if (left <= most) return this.#newest * HOUR_MS
    for (let oldest = this.#newest - BUCKETS + 1; oldest <= this.#newest; oldest++) {
      left -= this.#buckets[oldest % BUCKETS]!
      if (left <= most) return (oldest + BUCKETS) * HOUR_MS
    }
    return undefined
  }

  #advance(hour: number): void {
    if (hour <= this.#newest) return
    const first = Math.max(this.#newest + 1, hour - BUCKETS + 1)
    for (let next = first; next <= hour; next++) {
      this.#total -= this.#buckets[next % BUCKETS]!
      this.#buckets[next % BUCKETS] = 0
    }
    this.#newest = hour
  }
}
