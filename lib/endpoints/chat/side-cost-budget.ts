import { nano, type Usd, ZERO } from '@/lib/contract/money'
import type { Meter } from '@/lib/services/ledger/meter'
import type { PricedUnits } from '@/lib/services/ledger/price'

/** What a request spends beside its own tokens: models that read for it, searches, pages. */
export type Purse = {
  /** What was done, and is charged with the answer. */
  readonly lines: readonly PricedUnits[]
  /** Sets the price of something aside before it is done. @throws InsufficientBalance when the credit does not reach. */
  reserve(cost: Usd): Promise<void>
  spend(lines: PricedUnits[]): void
}

/** @param tokens what the conversation itself costs at least, as far as it is known; set aside beside everything else. */
export function createPurse(meter: Meter, tokens: () => Usd): Purse {
  const lines: PricedUnits[] = []
  let reserved = ZERO
  let last = Promise.resolve()
  return {
    lines,
    reserve(cost) {
      reserved = nano(reserved + cost)
      const wanted = nano(tokens() + reserved)
      // One after the other: each then sees what the one before has set aside.
      last = last.then(() => meter.reserve(wanted))
      return last
    },
    spend: (done) => void lines.push(...done),
  }
}
