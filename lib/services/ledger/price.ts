import { nano, type Price, type Usd } from '@/lib/contract/money'
import type { CallCounts, ChargeLine } from '@/lib/services/ledger/hold'

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
