import { formatUsd, nano, type Usd } from '@/lib/core/money'

const NANO_PER_DOLLAR = 1e9
const ONE_DOLLAR = 1_000_000_000n
const ONE_CENT = 10_000_000n

/** Dollars of the wire as money: a JSON number is exact to the nano-dollar below nine million. */
export function moneyOf(dollars: number): Usd {
  return nano(BigInt(Math.round(dollars * NANO_PER_DOLLAR)))
}

/**
 * What something cost, short: cents for dollars, and two telling digits for what is below a cent.
 *
 * @example formatCost(moneyOf(0.00001234)) // "$0.000012"
 */
export function formatCost(amount: Usd): string {
  if (amount === 0n) return '$0'
  if (amount >= ONE_DOLLAR) return `$${rounded(amount, 2)}`
  if (amount >= ONE_CENT) return `$${rounded(amount, 4)}`
  const zeros = 9 - amount.toString().length
  return `$${rounded(amount, Math.min(9, zeros + 2)).replace(/0+$/, '')}`
}

/** What is left, never shown larger than it is. */
export function formatBalance(amount: Usd): string {
  return `$${formatUsd(amount, amount === 0n || amount >= ONE_DOLLAR ? 2 : 4)}`
}

/** An amount in a sentence: cents, and more digits only where cents would say nothing. @example formatAmount(usd('0.1')) // "$0.10" */
export function formatAmount(amount: Usd): string {
  return amount === 0n || amount >= ONE_CENT ? `$${formatUsd(amount, 2)}` : formatCost(amount)
}

/** A line of a ledger: six decimals in every row, so that points stand under points. @example formatEntry(x) // "−0.000230" */
export function formatEntry(amount: Usd, isChange = false): string {
  const sign = amount < 0n ? '−' : isChange ? '+' : ''
  return sign + formatUsd(nano(amount < 0n ? -amount : amount), 6)
}

/** A cap as people say it. @example formatCap(usd('5')) // "$5" */
export function formatCap(cap: Usd): string {
  const text = formatUsd(cap, 4)
  return `$${text.replace(/0{1,2}$/, '').replace(/\.00$/, '')}`
}

/** A price of a million tokens. @example formatPrice(0.4) // "$0.40" */
export function formatPrice(dollarsPerMillion: number): string {
  return dollarsPerMillion >= 0.1 ? `$${dollarsPerMillion.toFixed(2)}` : `$${Number(dollarsPerMillion.toPrecision(2))}`
}

function rounded(amount: Usd, decimals: number): string {
  const half = 10n ** BigInt(9 - decimals) / 2n
  return formatUsd(nano(amount + half), decimals)
}
