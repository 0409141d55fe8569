import { formatCap, formatCost } from '@/lib/client/cost'
import type { Usd } from '@/lib/core/money'

/** The last of four decimals, in nano-dollars. */
const FOUR_DECIMALS = 100_000n

/** A price of a piece, whole and without zeros that say nothing. @example formatPiece(usd('0.08')) // "$0.08" */
export function formatPiece(amount: Usd): string {
  return amount > 0n && amount % FOUR_DECIMALS === 0n ? formatCap(amount) : formatCost(amount)
}
