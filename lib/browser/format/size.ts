import { formatNumber } from '@/lib/i18n/t'

/** A size for people. @example sizeText(1_500_000) // "1.5 MB" */
export function sizeText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1000 ** step
  const digits = value >= 10 || step === 0 ? 0 : 1
  const number = formatNumber(value, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${number} ${units[step]}`
}
