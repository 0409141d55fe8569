import { formatNumber, t } from '@/lib/i18n/t'

/** Formats what something took in seconds. @example formatSeconds(1_234) // "1.2 s" */
export function formatSeconds(ms: number): string {
  const digits = ms < 9_950 ? 1 : 0
  return t('{seconds} s', {
    seconds: formatNumber(ms / 1_000, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  })
}

/** Formats a length as players show it. @example formatLength(65_400) // "1:05" */
export function formatLength(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}

/** Formats milliseconds in the page's language. @example formatMilliseconds(84.4) // "84 ms" */
export const formatMilliseconds = (ms: number): string =>
  formatNumber(ms, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 })

/** Formats how long a call took. @example formatLatency(84.4) // "84 ms" */
export const formatLatency = (ms: number): string => (ms < 999.5 ? formatMilliseconds(ms) : formatSeconds(ms))

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** Formats a size in the page's language. @example formatSize(1_500_000) // "1.5 MB" */
export function formatSize(bytes: number): string {
  let value = bytes
  let step = 0
  for (; value >= 999.5 && step < UNITS.length - 1; step += 1) value /= 1_000
  const digits = step >= 2 && value < 9.95 ? 1 : 0
  return formatNumber(value, {
    style: 'unit',
    unit: UNITS[step],
    // The short form of a byte is its whole name in some languages, and without a plural.
    unitDisplay: step === 0 ? 'long' : 'short',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}

/** @example compactTokens(131_072) // "128k" */
export function compactTokens(tokens: number): string {
  if (tokens < 1000) return formatNumber(tokens)
  // Most windows are powers of two, and are called by them: 131,072 is 128k.
  const thousand = tokens % 1024 === 0 ? 1024 : 1000
  return tokens < 1_000_000
    ? `${formatNumber(Math.round(tokens / thousand))}k`
    : `${formatNumber(Number((tokens / 1_000_000).toFixed(1)))}M`
}

export const roundTokens = (tokens: number): number => (tokens < 100 ? tokens : Number(tokens.toPrecision(2)))

/**
 * Replaces the decimal comma of a typed number. A comma before the three last digits stays: it may group thousands, unless
 * only a 0 stands before it. @example toDecimalPoint('0,125') // "0.125"
 */
export const toDecimalPoint = (typed: string): string =>
  /^(0,\d+|\d+,(?!\d{3}$)\d+)$/.test(typed) ? typed.replace(',', '.') : typed
