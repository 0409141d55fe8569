import { formatUsd, nano, type Price, type Usd, usdNumber, ZERO } from '@/lib/contract/money'
import { formatDecimal, formatNumber, t } from '@/lib/i18n/t'

const NANO_PER_DOLLAR = 1e9
const NANO_DIGITS = 9
const CENT_DIGITS = 2
export const ONE_CENT = nano(10_000_000n)

/** Converts wire dollars to money: a JSON number is exact to the nano-dollar below nine million. */
export function moneyOf(dollars: number): Usd {
  return nano(BigInt(Math.round(dollars * NANO_PER_DOLLAR)))
}

/**
 * Formats money in chips, totals and sentences: cents, rounded to the nearest, in the page's language. Put the exact
 * amount in its `title`.
 * @example formatMoney(usd('0.000012')) // "<$0.01"
 */
export function formatMoney(amount: Usd): string {
  return amount > 0n && amount < ONE_CENT ? t('<{amount}', { amount: dollars(ONE_CENT) }) : dollars(amount)
}

/**
 * Formats money to its last digit, for receipts, quotes and exports.
 * @param least decimals written in any case: `decimalsOf` a column aligns its points.
 * @example formatExactMoney(usd('0.0000025')) // "$0.0000025"
 */
export const formatExactMoney = (amount: Usd, minDigits = CENT_DIGITS): string =>
  dollars(amount, NANO_DIGITS, minDigits)

/**
 * Counts the decimals that show the last digit of each amount; cents at least.
 * @example decimalsOf([usd('0.0014')]) // 4
 */
export function decimalsOf(amounts: readonly Usd[]): number {
  const lengths = amounts.map((amount) => formatUsd(amount, NANO_DIGITS).split('.')[1]!.replace(/0+$/, '').length)
  return Math.max(CENT_DIGITS, ...lengths)
}

/**
 * Formats an amount without a currency, for credit in another unit.
 * @example formatUnitless(usd('1.5')) // "1.50"
 */
export const formatUnitless = (amount: Usd, precision: 'cents' | 'exact' = 'cents', minDigits = CENT_DIGITS): string =>
  formatNumber(usdNumber(amount), {
    minimumFractionDigits: minDigits,
    maximumFractionDigits: precision === 'exact' ? NANO_DIGITS : CENT_DIGITS,
  })

export const formatExactDollars = (amount: number, minDigits?: number): string =>
  formatExactMoney(moneyOf(amount), minDigits)

export const formatExactDiem = (diem: number, minDigits?: number): string =>
  formatUnitless(moneyOf(diem), 'exact', minDigits)

/** Formats a ledger line: six decimals in every row. @example formatEntry(x) // "−0.000230" */
export function formatEntry(amount: Usd, isChange = false): string {
  const sign = amount < 0n ? '−' : isChange ? '+' : ''
  return sign + formatDecimal(formatUsd(nano(amount < 0n ? -amount : amount), 6))
}

/** Formats a price of a million tokens. @example formatPrice(0.4) // "$0.40" */
export const formatPrice = (dollarsPerMillion: number): string => formatExactMoney(moneyOf(dollarsPerMillion))

function dollars(amount: Usd, digits = CENT_DIGITS, minDigits = CENT_DIGITS): string {
  const text = formatNumber(usdNumber(amount), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: minDigits,
    maximumFractionDigits: digits,
  })
  // Arabic's narrow symbol has letters, which its direction would take apart: `$US 1.00`.
  return text.replace('US$', '$')
}

const PICO_PER_NANO = 1_000n

/** Prices begun seconds, or characters, rounded as the service rounds. */
export function voiceCost(units: number, price: Price | undefined): Usd {
  if (!price) return ZERO
  return nano((BigInt(Math.ceil(units)) * price + PICO_PER_NANO - 1n) / PICO_PER_NANO)
}
