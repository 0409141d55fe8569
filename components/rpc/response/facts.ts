import { moneyOf } from '@/lib/client/cost'
import { formatUsd } from '@/lib/core/money'
import { formatNumber, plural } from '@/lib/i18n/t'

const KILO = 1024
/** The service says dollars with eight decimals; the last digits may be zeros. */
const MONEY_DECIMALS = 8

/** @example formatBytes(5_400_000) // "5.1 MB" */
export function formatBytes(bytes: number): string {
  if (bytes < KILO) return `${bytes} B`
  if (bytes < KILO * KILO) return `${withDigits(bytes / KILO, 1)} KB`
  return `${withDigits(bytes / KILO / KILO, 1)} MB`
}

/** @example formatMs(1_234) // "1.23 s" */
export const formatMs = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${withDigits(ms / 1_000, 2)} s`)

/** A call costs so little that cents say nothing. @example formatCallCost(0.000014) // "$0.000014" */
export const formatCallCost = (usd: number): string =>
  `$${formatUsd(moneyOf(usd), MONEY_DECIMALS)
    .replace(/(\.\d*?[1-9])0+$/, '$1')
    .replace(/\.0+$/, '')}`

export const formatCredits = (credits: number): string =>
  plural(credits, { one: '{count} credit', other: '{count} credits' })

const withDigits = (value: number, digits: number): string =>
  formatNumber(value, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false })
