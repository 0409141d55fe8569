import { formatUsd, nano, type Usd, usdNumber } from '@/lib/core/money'
import { language } from '@/lib/i18n/language'
import { formatNumber, t } from '@/lib/i18n/t'

const NANO_PER_DOLLAR = 1e9
const NANO_DIGITS = 9
const CENT_DIGITS = 2
export const ONE_CENT = nano(10_000_000n)

/** Dollars of the wire as money: a JSON number is exact to the nano-dollar below nine million. */
export function moneyOf(dollars: number): Usd {
  return nano(BigInt(Math.round(dollars * NANO_PER_DOLLAR)))
}

/**
 * Money in chips, totals and sentences: cents, rounded to the nearest, as the language of the page writes dollars. The exact
 * amount belongs into its `title`.
 *
 * @example formatMoney(usd('10.999986')) // "$11.00"
 * @example formatMoney(usd('0.000012')) // "<$0.01"
 */
export function formatMoney(amount: Usd): string {
  return amount > 0n && amount < ONE_CENT ? t('<{amount}', { amount: dollars(ONE_CENT) }) : dollars(amount)
}

/** Money to its last digit, for receipts, quotes and exports. @example formatExactMoney(usd('0.0000025')) // "$0.0000025" */
export const formatExactMoney = (amount: Usd): string => dollars(amount, NANO_DIGITS)

/** An amount without a currency, for credit in another unit: to the cent, or to the last digit. @example formatUnitless(usd('1.5')) // "1.50" */
export const formatUnitless = (amount: Usd, precision: 'cents' | 'exact' = 'cents'): string =>
  formatNumber(usdNumber(amount), {
    minimumFractionDigits: CENT_DIGITS,
    maximumFractionDigits: precision === 'exact' ? NANO_DIGITS : CENT_DIGITS,
  })

/** A line of a ledger: six decimals in every row, so that points stand under points. @example formatEntry(x) // "−0.000230" */
export function formatEntry(amount: Usd, isChange = false): string {
  const sign = amount < 0n ? '−' : isChange ? '+' : ''
  return sign + formatUsd(nano(amount < 0n ? -amount : amount), 6)
}

/** A price of a million tokens. @example formatPrice(0.4) // "$0.40" */
export const formatPrice = (dollarsPerMillion: number): string => formatExactMoney(moneyOf(dollarsPerMillion))

const formats = new Map<string, Intl.NumberFormat>()

function dollars(amount: Usd, digits = CENT_DIGITS): string {
  const key = `${language()} ${digits}`
  const known =
    formats.get(key) ??
    new Intl.NumberFormat(language(), {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: CENT_DIGITS,
      maximumFractionDigits: digits,
    })
  formats.set(key, known)
  return known.format(usdNumber(amount))
}
