import { nano, type Usd, ZERO } from '@/lib/contract/money'

const WINDOW_MS = 1_000
const PARTS = 256

export type Demand = ReturnType<typeof createDemand>

/** Adds up what was asked for lately, in two counters: the second under way, and its share of the one before. */
export function createDemand() {
  let since = Number.NEGATIVE_INFINITY
  let sum = 0n
  let sumBefore = 0n

  function turn(now: number): void {
    const age = now - since
    if (age < WINDOW_MS) return
    const isNext = age < 2 * WINDOW_MS
    sumBefore = isNext ? sum : 0n
    sum = 0n
    since = isNext ? since + WINDOW_MS : now
  }

  return {
    add(amount: Usd, now: number): void {
      turn(now)
      sum += amount
    },
    /** Sum of the last second. */
    recent(now: number): Usd {
      if (since === Number.NEGATIVE_INFINITY) return ZERO
      turn(now)
      const parts = PARTS - Math.ceil(((now - since) / WINDOW_MS) * PARTS)
      return nano(sum + (sumBefore * BigInt(parts)) / BigInt(PARTS))
    },
  }
}
