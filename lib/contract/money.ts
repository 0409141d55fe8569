/** Amount of money in whole nano-dollars (1e-9 USD). One USDC base unit is 1,000 of them. */
export type Usd = bigint & { readonly __unit: 'nano-usd' }

/**
 * Price of one unit (a token, a credit, a second) in whole pico-dollars (1e-12 USD). 0.40 USD per million is 400,000.
 */
export type Price = bigint & { readonly __unit: 'pico-usd' }

const NANO_DIGITS = 9
const PICO_DIGITS = 12
const PICO_PER_NANO = 1_000n
const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d+))?$/

export const nano = (value: bigint): Usd => value as Usd
export const pico = (value: bigint): Price => value as Price
export const ZERO: Usd = nano(0n)

/**
 * Parses a decimal number of dollars exactly. @throws RangeError when the text is not a plain decimal or is finer than
 * a nano-dollar. @example usd('0.60') // 600_000_000n
 */
export function usd(text: string): Usd {
  return nano(scaled(text, NANO_DIGITS))
}

/**
 * Converts a price of a million units, as in models files and `/models`. @throws RangeError when it is negative, or
 * finer than a pico-dollar per unit. @example perMillion(0.4) // 400_000n
 */
export function perMillion(dollars: number): Price {
  const price = scaled(plainDecimal(dollars), PICO_DIGITS - 6)
  if (price < 0n) throw new RangeError(`${dollars}: a price cannot be negative`)
  return pico(price)
}

export function perUnit(dollars: number): Price {
  const price = scaled(plainDecimal(dollars), PICO_DIGITS)
  if (price < 0n) throw new RangeError(`${dollars}: a price cannot be negative`)
  return pico(price)
}

export const unitPrice = (amount: Usd): Price => pico(amount * PICO_PER_NANO)

/** Formats dollars with `decimals` digits; further digits are cut, never rounded up. */
export function formatUsd(amount: Usd, decimals = 6): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(NANO_DIGITS + 1, '0')
  const whole = digits.slice(0, -NANO_DIGITS)
  const fraction = digits.slice(-NANO_DIGITS).padEnd(decimals, '0').slice(0, decimals)
  return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}

/** Converts to a JSON number: exact to the last nano-dollar below 9 million USD. */
export function usdNumber(amount: Usd): number {
  return Number(formatUsd(amount, NANO_DIGITS))
}

function scaled(text: string, digits: number): bigint {
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(text) ?? []
  if (whole === '') throw new RangeError(`${text}: not a decimal number`)
  const decimals = fraction.replace(/0+$/, '')
  if (decimals.length > digits) throw new RangeError(`${text}: more than ${digits} decimals`)
  const value = BigInt(whole + decimals.padEnd(digits, '0'))
  return sign ? -value : value
}

function plainDecimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value}: not a number`)
  const text = String(value)
  return text.includes('e') ? value.toFixed(18).replace(/0+$/, '').replace(/\.$/, '') : text
}
