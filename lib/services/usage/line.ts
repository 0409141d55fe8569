import type { Currency } from '@/lib/services/ledger/hold'
import { RPC_SKU } from '@/lib/services/usage/units'

/** One priced line of a charge: a row of the books, as it is read. Money in nano-dollars, prices in pico-dollars. */
export type UsageLine = {
  /** Of the charge; with `part` the line's own name. */
  txn: string
  part: number
  /** ISO 8601 with microseconds, and as the contract tells it with milliseconds; both UTC. */
  at: string
  timestamp: string
  sku: string
  units: bigint
  price: bigint
  amount: bigint
  currency: Currency
  requestId: string
  promptTokens: number | null
  completionTokens: number | null
  durationMs: number | null
}

/** What a line reads like over the wire. Numbers as exact decimal text: a file keeps it, JSON makes a number of it. */
export type WireEntry = {
  timestamp: string
  sku: string
  pricePerUnitUsd: string
  units: string
  amount: string
  currency: Currency
  notes: string
  requestId: string
  executionTime: number | null
  promptTokens: number | null
  completionTokens: number | null
}

const NANO_DIGITS = 9
const PICO_DIGITS = 12
const MILLION_DIGITS = 6
/** SKUs that are priced by the million, and counted in millions. Source: API contract, billing.md "Ledger entry". */
const BY_MILLION = /-m(?:token|char)$/

/** A line as the contract shows it: a debit is negative, tokens count by the million. */
export function entryOf(line: UsageLine): WireEntry {
  const { timestamp, sku, units, price, amount, currency, requestId } = line
  const digits = BY_MILLION.test(sku) ? MILLION_DIGITS : 0
  return {
    timestamp,
    sku,
    pricePerUnitUsd: decimal(price, PICO_DIGITS - digits),
    units: decimal(units, digits),
    amount: decimal(-amount, NANO_DIGITS),
    currency,
    notes: sku.startsWith(RPC_SKU) ? 'Crypto RPC' : 'API Inference',
    requestId,
    executionTime: line.durationMs,
    promptTokens: line.promptTokens,
    completionTokens: line.completionTokens,
  }
}

/** The same as JSON has it. */
export function renderEntry(line: UsageLine) {
  const entry = entryOf(line)
  return {
    timestamp: entry.timestamp,
    sku: entry.sku,
    units: Number(entry.units),
    pricePerUnitUsd: Number(entry.pricePerUnitUsd),
    amount: Number(entry.amount),
    currency: entry.currency,
    notes: entry.notes,
    inferenceDetails: {
      requestId: entry.requestId,
      promptTokens: entry.promptTokens,
      completionTokens: entry.completionTokens,
      inferenceExecutionTime: entry.executionTime,
    },
  }
}

/** A whole number of 10^-`digits` as the shortest decimal text. @example decimal(1_500_000n, 9) // '0.0015' */
function decimal(value: bigint, digits: number): string {
  const sign = value < 0n ? '-' : ''
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const fraction = text.slice(text.length - digits).replace(/0+$/, '')
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}
