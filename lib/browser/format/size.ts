import { formatNumber } from '@/lib/i18n/t'

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
