import 'server-only'

/** How much one measurement counts when they come fast, and how long one that came alone is believed. */
const WEIGHT = 1 / 8
const MEMORY_MS = 10_000
/** How long a node is given before another is asked too. */
const SHORTEST_PATIENCE_MS = 30
const LONGEST_PATIENCE_MS = 2_000
/** Of a node that was never measured. */
const FIRST_PATIENCE_MS = 200
const DEVIATIONS = 4

/** How long a node usually takes until it begins to answer: mean and mean deviation, in milliseconds. */
export class Latency {
  #meanMs: number | undefined
  #deviationMs = 0
  #learntAt = 0

  /** Nothing before the first measurement. */
  get meanMs(): number | undefined {
    return this.#meanMs
  }

  /** What is asked all the time moves slowly; what is asked now and then is believed at once. `now` in `performance.now()`. */
  learn(ms: number, now: number): void {
    if (this.#meanMs === undefined) {
      this.#meanMs = ms
      this.#deviationMs = ms / 2
    } else {
      const weight = Math.max(WEIGHT, 1 - Math.exp((this.#learntAt - now) / MEMORY_MS))
      this.#deviationMs += weight * (Math.abs(ms - this.#meanMs) - this.#deviationMs)
      this.#meanMs += weight * (ms - this.#meanMs)
    }
    this.#learntAt = now
  }

  /** Longer than this is unusual: the rule by which TCP sends again (RFC 6298). */
  get patienceMs(): number {
    if (this.#meanMs === undefined) return FIRST_PATIENCE_MS
    const unusualMs = this.#meanMs + DEVIATIONS * this.#deviationMs
    return Math.min(Math.max(unusualMs, SHORTEST_PATIENCE_MS), LONGEST_PATIENCE_MS)
  }
}
