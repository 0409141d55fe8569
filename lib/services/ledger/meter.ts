import 'server-only'
import { nano, type Price, type Usd, ZERO } from '@/lib/contract/money'
import { ADMISSION_MINIMUM } from '@/lib/contract/prices'
import { logSparingly } from '@/lib/kernel/log'
import type { RequestContext } from '@/lib/kernel/request-context'
import { charged } from '@/lib/kernel/request-log'
import { capture, checkpoint, extend, hold, release } from '@/lib/services/ledger/ledger'
import type { Balances, CallCounts, Captured, Charge, ChargeLine, Hold } from '@/lib/services/ledger/ledger-types'
import { InsufficientBalance, notCovered } from '@/lib/services/ledger/refusal'

/** What a request has used so far; undefined when nothing was delivered: then nothing is charged. */
export type MeterReading = Omit<Charge, 'amount' | 'lines'> & { lines: PricedUnits[]; cachedTokens?: number }

/** What was taken. `usd` includes bundled credits; one of the two is zero. Source: API contract, README 13. */
export type Receipt = { usd: Usd; diem: Usd; balancesAfter?: Balances }

export type Meter = {
  readonly hold: Hold
  read: () => MeterReading | undefined
  /** Sets what `read` asks from now on. */
  readWith(next: () => MeterReading | undefined): void
  mark(): void
  /**
   * Extends the hold when four fifths of it are used.
   * @returns false when the credit does not reach; the work must stop before `cost` passes the hold.
   */
  reaches(cost: Usd, stretch: Usd): Promise<boolean>
  /**
   * Sets all of `cost` aside before something with a price of its own is done: in another currency where the hold's own
   * does not reach, and also for work that seemed free.
   * @throws ApiError as `hold`; InsufficientBalance when the credit does not reach.
   */
  reserve(cost: Usd): Promise<void>
  /** Charges what `read` says, once; later calls get the first receipt. */
  settle(): Promise<Receipt>
}

export function createMeter(held: Hold): Meter {
  const startedAt = performance.now()
  let settled: Promise<Receipt> | undefined
  // Not a property of the meter: V8 would keep the request (docs/performance.md, "Functions that V8 keeps").
  let reading: () => MeterReading | undefined = () => undefined

  const meter: Meter = {
    hold: held,
    read: () => reading(),
    readWith(next) {
      reading = next
    },
    mark() {
      const usage = meter.read()
      if (usage && !settled && held.amount > 0n) checkpoint(held, toCharge(usage, startedAt))
    },
    async reaches(cost, stretch) {
      if (held.amount === 0n || cost * 5n < held.amount * 4n) return true
      return (await extend(held, stretch)) || cost <= held.amount
    },
    async reserve(cost) {
      const missing = nano(cost - held.amount)
      if (missing <= 0n || (await extend(held, missing))) return
      const other = await replacement(held, cost)
      // Whoever settled meanwhile ended the hold that was there then; nobody would end this one.
      const useless = settled ? other : { ...held }
      if (!settled) Object.assign(held, other, { balancesBefore: held.balancesBefore })
      await release(useless)
    },
    settle() {
      settled ??= settleOnce(held, meter.read(), startedAt)
      return settled
    },
  }
  return meter
}

export function noteLeft(error: unknown, { id }: RequestContext): undefined {
  logSparingly('hold left', { id, err: error }, 'a hold was left to the sweep')
}

function replacement(held: Hold, cost: Usd): Promise<Hold> {
  const { accountId, keyId, requestId } = held
  const minimumBalance = held.amount === 0n ? ADMISSION_MINIMUM : undefined
  return hold({ accountId, keyId, requestId, amount: cost, minimumBalance }).catch((error: unknown) => {
    throw error instanceof InsufficientBalance ? notCovered(error, cost, held) : error
  })
}

function toCharge({ cachedTokens: _, lines, ...facts }: MeterReading, startedAt: number): Charge {
  return { ...facts, ...chargeOf(lines), durationMs: Math.round(performance.now() - startedAt) }
}

async function settleOnce(held: Hold, usage: MeterReading | undefined, startedAt: number): Promise<Receipt> {
  const charge = usage ? toCharge(usage, startedAt) : undefined
  if (!charge || charge.amount === 0n) {
    const balancesAfter = await release(held)
    return { usd: ZERO, diem: ZERO, balancesAfter }
  }
  return receiptOf(await capture(held, charge), usage)
}

function receiptOf({ charged: amount, currency, balancesAfter }: Captured, usage: MeterReading | undefined): Receipt {
  if (amount > 0n)
    charged(usage?.modelId ?? '', currency, amount, usage?.promptTokens ?? 0, usage?.completionTokens ?? 0)
  const isDiem = currency === 'DIEM'
  return { usd: isDiem ? ZERO : amount, diem: isDiem ? amount : ZERO, balancesAfter }
}

export type Priced = { units: number; price: Price }
export type PricedUnits = Priced & { sku: string; calls?: CallCounts }

const PICO_PER_NANO = 1_000n

/**
 * Prices the lines of one request. The sum is rounded up once, so that nothing is free by rounding. Source: API
 * contract, README 13 "Charging".
 * @throws RangeError when units are negative or fractional (an engine miscounted).
 * @example priceOf([{ units: 3, price: perMillion(0.6) }]) // 1800n
 */
export function priceOf(lines: Iterable<Priced>): Usd {
  let total = 0n
  for (const line of lines) total += exact(line)
  return roundUp(total)
}

/**
 * Prices the lines with each line's amount. Amounts add up to the charge: what rounding adds falls on the line that
 * crosses the whole nano-dollar.
 * @throws RangeError as `priceOf`.
 */
export function chargeOf(lines: Iterable<PricedUnits>): { amount: Usd; lines: ChargeLine[] } {
  let total = 0n
  const priced: ChargeLine[] = []
  for (const { sku, units, price, calls } of lines) {
    const before = roundUp(total)
    total += exact({ units, price })
    priced.push({ sku, units, price, amount: nano(roundUp(total) - before), ...(calls && { calls }) })
  }
  return { amount: roundUp(total), lines: priced }
}

function exact({ units, price }: Priced): bigint {
  if (!Number.isSafeInteger(units) || units < 0) throw new RangeError(`${units}: not a whole number of units`)
  return BigInt(units) * price
}

const roundUp = (pico: bigint): Usd => nano((pico + PICO_PER_NANO - 1n) / PICO_PER_NANO)
