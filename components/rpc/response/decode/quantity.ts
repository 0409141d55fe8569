import { type Interpretation, type MessageText, msg } from '@/components/rpc/response/decode/decoded'

const WEI_DECIMALS = 18
const GWEI_DECIMALS = 9
const SMALL_WEI = 10n ** 12n
const MAX_UINT256 = 2n ** 256n - 1n
const MAX_QUANTITY_CHARS = 66

const QUANTITY = /^0x[\da-fA-F]+$/
const DECIMAL = /^\d{1,78}$/

/** Reads a number as nodes write it: a hex quantity, a JSON number, or decimal digits; never below zero. */
export function quantityOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value >= 0n ? value : undefined
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
  if (typeof value !== 'string') return undefined
  if (value === '0x') return 0n
  const isNumber = (value.length <= MAX_QUANTITY_CHARS && QUANTITY.test(value)) || DECIMAL.test(value)
  return isNumber ? BigInt(value) : undefined
}

export const grouped = (number: bigint): string => number.toString().replace(/\B(?=(?:\d{3})+$)/g, ',')

/** @example inUnits(1500n, 3) // "1.5" */
export function inUnits(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0')
  const whole = grouped(BigInt(digits.slice(0, digits.length - decimals)))
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${amount < 0n ? '−' : ''}${whole}${fraction && `.${fraction}`}`
}

export function amountInterpretations(wei: bigint, currency: string): Interpretation[] {
  if (wei === 0n) return [textInterpretation(`0 ${currency}`)]
  const interpretations = [textInterpretation(`${inUnits(wei, WEI_DECIMALS)} ${currency}`)]
  if (wei < SMALL_WEI) interpretations.push(textInterpretation(`${inUnits(wei, GWEI_DECIMALS)} gwei`))
  return [...interpretations, textInterpretation(`${grouped(wei)} wei`)]
}

export function priceInterpretations(wei: bigint): Interpretation[] {
  return [textInterpretation(`${inUnits(wei, GWEI_DECIMALS)} gwei`), textInterpretation(`${grouped(wei)} wei`)]
}

/** Nobody says how many decimals a contract's number has: large ones are shown with both usual ones. */
export function tokenInterpretations(number: bigint, isAmount: boolean): Interpretation[] {
  if (number === MAX_UINT256)
    return [textInterpretation(msg('maximum uint256'), msg('unlimited, if this is an allowance'))]
  const interpretations = [textInterpretation(grouped(number))]
  if (!isAmount || number < 1_000n) return interpretations
  if (number >= 10n ** 14n)
    interpretations.push(textInterpretation(inUnits(number, WEI_DECIMALS), msg('with 18 decimals')))
  if (number < 10n ** 17n) interpretations.push(textInterpretation(inUnits(number, 6), msg('with 6 decimals')))
  return interpretations
}

export const textInterpretation = (text: MessageText, note?: MessageText): Interpretation => ({
  kind: 'text',
  text,
  ...(note && { note }),
})

const MIN_TIME_SECONDS = 1_000_000_000n
const MAX_TIME_SECONDS = 10_000_000_000n

/** From 2001 to 2286 in seconds. */
export function timeInterpretation(seconds: bigint): Interpretation | undefined {
  return seconds >= MIN_TIME_SECONDS && seconds < MAX_TIME_SECONDS ? { kind: 'time', at: Number(seconds) } : undefined
}
