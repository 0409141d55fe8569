import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { nativeSearchLines } from '@/lib/endpoints/chat/web'
import type { ChatRequest } from '@/lib/services/engines/engine'
import type { Meter } from '@/lib/services/ledger/meter'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/price'

type Asked = Pick<ChatRequest, 'nativeSearch'>

/** What an answer costs beside its tokens. A vendor cannot charge for more results than it was asked for. */
export function linesBeside({ lines }: Pick<Purse, 'lines'>, nativeResults: number, asked: Asked): PricedUnits[] {
  return [...lines, ...nativeSearchLines(Math.min(nativeResults, asked.nativeSearch?.maxResults ?? 0))]
}

/** The most that it may come to, before it has ended: a vendor says at the end how much it found. */
export function boundBeside({ lines }: Pick<Purse, 'lines'>, asked: Asked): Usd {
  return priceOf([...lines, ...nativeSearchLines(asked.nativeSearch?.maxResults ?? 0)])
}

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
