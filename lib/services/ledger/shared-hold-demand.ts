import { nano, type Usd, ZERO } from '@/lib/contract/money'

const WINDOW_MS = 1_000
/** Parts of a window, for sharing it out in whole numbers. */
const PARTS = 256

export type Demand = {
  /** `now` is of the monotonic clock, milliseconds. */
  add: (amount: Usd, now: number) => void
  /** What was asked for in the last second, at most `most` calls' worth of it. */
  recent: (now: number, most: number) => Usd
}

/** How much is asked for lately: this window, and of the one before it the part that is still recent. */
export function createDemand(): Demand {
  let since = Number.NEGATIVE_INFINITY
  let [count, sum] = [0, 0n]
  let [countBefore, sumBefore] = [0, 0n]

  function turn(now: number): void {
    const age = now - since
    if (age < WINDOW_MS) return
    const isNext = age < 2 * WINDOW_MS
    ;[countBefore, sumBefore] = isNext ? [count, sum] : [0, 0n]
    ;[count, sum] = [0, 0n]
    since = isNext ? since + WINDOW_MS : now
  }

  return {
    add(amount, now) {
      turn(now)
      count++
      sum += amount
    },
    recent(now, most) {
      turn(now)
      const parts = PARTS - Math.ceil(((now - since) / WINDOW_MS) * PARTS)
      const calls = count + Math.ceil((countBefore * parts) / PARTS)
      if (calls === 0) return ZERO
      const total = sum + (sumBefore * BigInt(parts)) / BigInt(PARTS)
      return nano(calls <= most ? total : (total * BigInt(most)) / BigInt(calls))
    },
  }
}
