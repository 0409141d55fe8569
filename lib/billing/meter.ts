import 'server-only'
import { type Balances, type Charge, capture, checkpoint, extend, type Hold, release } from '@/lib/billing/ledger'
import { chargeOf, type PricedUnits } from '@/lib/billing/price'
import { charged } from '@/lib/core/events'
import { type Usd, ZERO } from '@/lib/core/money'

/** What a request has used so far. Nothing when nothing was delivered: then nothing is charged. */
export type Reading = Omit<Charge, 'amount' | 'lines'> & { lines: PricedUnits[]; cachedTokens?: number }

/**
 * What was taken for a request. `usd` includes bundled credits; one of the two is zero. Contract 13. `balancesAfter` is
 * what can be spent then, as the closing statement itself tells it; nothing for a hold of nothing.
 */
export type Receipt = { usd: Usd; diem: Usd; balancesAfter?: Balances }

export type Meter = {
  readonly hold: Hold
  /** Set by the area that does the work: what was delivered up to now. */
  read: () => Reading | undefined
  /** Puts the present cost on the hold, so that a crash charges what was delivered and no more. */
  mark(): void
  /**
   * Makes sure that `cost` is set aside: takes more when four fifths of the hold are used.
   *
   * @returns false when the credit does not reach; the work must stop before `cost` passes the hold.
   */
  reaches(cost: Usd, stretch: Usd): Promise<boolean>
  /** Charges what `read` says, once; later calls get the first receipt. */
  settle(): Promise<Receipt>
}

/** The meter of one request, over the hold that was placed for it. */
export function createMeter(hold: Hold): Meter {
  const startedAt = performance.now()
  let settled: Promise<Receipt> | undefined

  const meter: Meter = {
    hold,
    read: () => undefined,
    mark() {
      const reading = meter.read()
      if (reading && !settled && hold.amount > 0n) checkpoint(hold, toCharge(reading, startedAt))
    },
    async reaches(cost, stretch) {
      if (hold.amount === 0n || cost * 5n < hold.amount * 4n) return true
      return (await extend(hold, stretch)) || cost <= hold.amount
    },
    settle() {
      settled ??= settleOnce(hold, meter.read(), startedAt)
      return settled
    },
  }
  return meter
}

function toCharge({ cachedTokens: _, lines, ...facts }: Reading, startedAt: number): Charge {
  return { ...facts, ...chargeOf(lines), durationMs: Math.round(performance.now() - startedAt) }
}

async function settleOnce(hold: Hold, reading: Reading | undefined, startedAt: number): Promise<Receipt> {
  const charge = reading ? toCharge(reading, startedAt) : undefined
  if (!charge || charge.amount === 0n) {
    const balancesAfter = await release(hold, reading ? 'free' : 'nothing delivered')
    return { usd: ZERO, diem: ZERO, balancesAfter }
  }
  const { charged: taken, currency, balancesAfter } = await capture(hold, charge)
  charged(charge.modelId ?? '', currency, taken, charge.promptTokens ?? 0, charge.completionTokens ?? 0)
  const isDiem = currency === 'DIEM'
  return { usd: isDiem ? ZERO : taken, diem: isDiem ? taken : ZERO, balancesAfter }
}
