import { toDecimalPoint } from '@/lib/browser/format/numbers'
import { NANO_PER_USDC_UNIT, USDC_DECIMALS } from '@/lib/contract/chains'
import { MAX_TOP_UP, MIN_TOP_UP, SUGGESTED_TOP_UP } from '@/lib/contract/limits'
import { formatUsd, nano, type Usd } from '@/lib/contract/money'
import { formatDecimal } from '@/lib/i18n/t'

export const PRESETS = [MIN_TOP_UP, SUGGESTED_TOP_UP, 25_000_000n, 50_000_000n]

const UNITS_PER_DOLLAR = 10n ** BigInt(USDC_DECIMALS)
const TYPED_DECIMALS = 2
const DIGITS_BEFORE_POINT = 9

export type AmountFault = 'empty' | 'not-a-number' | 'too-fine' | 'too-low' | 'too-high'

export type TypedAmount = { units: bigint } | { fault: AmountFault }

/**
 * Parses an amount as people type it, exactly: `12`, `7.5`, `7,50`, `1,000.00`, `$20`; within the bounds of one top-up.
 */
export function parseAmount(typed: string): TypedAmount {
  const units = parseUnits(typed)
  if (typeof units !== 'bigint') return { fault: units }
  if (units < MIN_TOP_UP) return { fault: 'too-low' }
  if (units > MAX_TOP_UP) return { fault: 'too-high' }
  return { units }
}

/** Parses typed dollars of any amount into USDC base units; returns the fault where it is none. */
export function parseUnits(typed: string): bigint | Exclude<AmountFault, 'too-low' | 'too-high'> {
  const bare = typed
    .trim()
    .replace(/^\$\s*/, '')
    .replace(/\s*(usdc|usd)?$/i, '')
  if (bare === '') return 'empty'
  const plain = toDecimalPoint(bare).replace(/,(?=\d{3}(?:\D|$))/g, '')
  const [, whole = '', fraction = ''] = /^(\d*)(?:\.(\d*))?$/.exec(plain) ?? []
  if ((whole === '' && fraction === '') || whole.length > DIGITS_BEFORE_POINT) return 'not-a-number'
  if (fraction.replace(/0+$/, '').length > TYPED_DECIMALS) return 'too-fine'
  return BigInt(whole || '0') * UNITS_PER_DOLLAR + BigInt(fraction.slice(0, TYPED_DECIMALS).padEnd(USDC_DECIMALS, '0'))
}

/** Formats USDC with cents in the page's language, cut and never rounded up. @example formatUnits(32_109_999n) // "32.10" */
export const formatUnits = (units: bigint): string => formatDecimal(typedUnits(units))

/** Formats USDC as `formatUnits`, without cents where there are none. @example shortUnits(10_000_000n) // "10" */
export const shortUnits = (units: bigint): string => formatDecimal(typedUnits(units).replace(/\.00$/, ''))

/** Writes USDC as a person types it, for `parseAmount`. @example typedUnits(12_500_000n) // "12.50" */
export const typedUnits = (units: bigint): string => formatUsd(usdOfUnits(units), TYPED_DECIMALS)

export const usdOfUnits = (units: bigint): Usd => nano(units * NANO_PER_USDC_UNIT)

export function suggestedAmount(needed: Usd | undefined): bigint {
  if (needed === undefined) return SUGGESTED_TOP_UP
  const units = (needed + NANO_PER_USDC_UNIT - 1n) / NANO_PER_USDC_UNIT
  if (units <= SUGGESTED_TOP_UP) return SUGGESTED_TOP_UP
  const covering = PRESETS.find((preset) => preset >= units)
  if (covering !== undefined) return covering
  // No preset covers it: whole dollars that do.
  const whole = ((units + UNITS_PER_DOLLAR - 1n) / UNITS_PER_DOLLAR) * UNITS_PER_DOLLAR
  return whole > MAX_TOP_UP ? MAX_TOP_UP : whole
}

export function answersFor(money: Usd, answerCost: Usd | undefined): number | undefined {
  return answerCost === undefined || answerCost <= 0n ? undefined : roundCount(Number(money / answerCost))
}

/** Cuts a count to its first two digits: it is an estimate. @example roundCount(46_847) // 46_000 */
export function roundCount(count: number): number {
  const step = 10 ** Math.max(0, String(Math.floor(count)).length - 2)
  return Math.floor(count / step) * step
}
