import { moneyOf } from '@/lib/client/cost'
import { formatUsd } from '@/lib/core/money'

const KILO = 1024
/** The service says dollars with eight decimals; the last digits may be zeros. */
const MONEY_DECIMALS = 8

/** @example formatBytes(5_400_000) // "5.1 MB" */
export function formatBytes(bytes: number): string {
  if (bytes < KILO) return `${bytes} B`
  if (bytes < KILO * KILO) return `${(bytes / KILO).toFixed(1)} KB`
  return `${(bytes / KILO / KILO).toFixed(1)} MB`
}

/** @example formatMs(1_234) // "1.23 s" */
export const formatMs = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`)

/** A call costs so little that cents say nothing. @example formatCallCost(0.000014) // "$0.000014" */
export const formatCallCost = (usd: number): string =>
  `$${formatUsd(moneyOf(usd), MONEY_DECIMALS)
    .replace(/(\.\d*?[1-9])0+$/, '$1')
    .replace(/\.0+$/, '')}`

export const formatCredits = (credits: number): string =>
  `${credits.toLocaleString('en')} credit${credits === 1 ? '' : 's'}`
