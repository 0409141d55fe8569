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
