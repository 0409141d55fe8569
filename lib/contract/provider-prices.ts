import type { ProviderPrices } from '@/lib/contract/providers'

/** Prices are counted in whole pico-dollars of a token, which are millionths of a dollar per million tokens. */
const DECIMALS = 6
const SCALE = 10n ** BigInt(DECIMALS)
const DECIMAL = /^(\d{1,9})(?:\.(\d{1,20}))?(?:e(-?\d{1,2}))?$/i

/**
 * Reads a vendor's price as millionths of a dollar, times a power of ten, without a float between: `0.00000015` a token
 * is 150,000 a million tokens. What is finer is rounded up. Undefined where it is no price, such as -1 for "varies".
 */
export function readPrice(value: unknown, tenTimes: number): bigint | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (whole === undefined) return undefined
  const shift = DECIMALS + tenTimes + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return shift >= 0 ? digits * 10n ** BigInt(shift) : ceilDivide(digits, 10n ** BigInt(-shift))
}

/** Dollars as the number that stands in an entry; exact, since it has at most six decimals. */
export const dollarsOf = (micros: bigint): number =>
  Number(`${micros / SCALE}.${String(micros % SCALE).padStart(DECIMALS, '0')}`)

/** Proposes prices: the cost and the margin, rounded up. */
export function withMargin(cost: ProviderPrices | null | undefined, marginPercent: number) {
  if (cost === undefined || cost === null) return cost
  const percent = BigInt(Math.round(marginPercent * 100))
  const priced = Object.entries(cost).map(([name, dollars]) => {
    const micros = readPrice(dollars, 0) ?? 0n
    return [name, dollarsOf(ceilDivide(micros * (10_000n + percent), 10_000n))]
  })
  return Object.fromEntries(priced) as ProviderPrices
}

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
