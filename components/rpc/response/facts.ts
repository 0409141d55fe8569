import { formatExactMoney, moneyOf } from '@/lib/browser/format/cost'
import { formatNumber, plural } from '@/lib/i18n/t'

const KILO = 1024

/** @example formatBytes(5_400_000) // "5.1 MB" */
export function formatBytes(bytes: number): string {
  if (bytes < KILO) return `${bytes} B`
  if (bytes < KILO * KILO) return `${withDigits(bytes / KILO, 1)} KB`
  return `${withDigits(bytes / KILO / KILO, 1)} MB`
}

/** @example formatMs(1_234) // "1.23 s" */
export const formatMs = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${withDigits(ms / 1_000, 2)} s`)

/** Writes the price of a call to its last digit. @example formatCallCost(0.000014) // "$0.000014" */
export const formatCallCost = (usd: number): string => formatExactMoney(moneyOf(usd))

export const formatCredits = (credits: number): string =>
  plural(credits, { one: '{count} credit', other: '{count} credits' })

const withDigits = (value: number, digits: number): string =>
  formatNumber(value, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false })
