import { moneyOf } from '@/lib/client/cost'
import { formatUsd } from '@/lib/core/money'

const ALL_DECIMALS = 9

/** Dollars to the last digit: cents at least, and what comes after them as far as there is anything. @example exact(0.0014) // "$0.0014" */
export function exact(dollars: number): string {
  const [whole, decimals = ''] = formatUsd(moneyOf(dollars), ALL_DECIMALS).split('.')
  return `$${whole}.${decimals.replace(/0{1,7}$/, '')}`
}
