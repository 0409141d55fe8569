import { formatDate, t } from '@/lib/i18n/t'

/** Returns the day of a time by this device's clock. @example dayOf(Date.now()) // "2026-11-20" */
export function dayOf(at: number): string {
  const date = new Date(at)
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

const DAY_MS = 86_400_000

/** Returns the heading for a time seen from `now`; both in Unix milliseconds, days by the device's clock. */
export function periodOf(time: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  if (time >= today) return t('Today')
  if (time >= today - DAY_MS) return t('Yesterday')
  if (time >= today - 7 * DAY_MS) return t('Last 7 days')
  if (time >= today - 30 * DAY_MS) return t('Last 30 days')
  return formatDate(time, { month: 'long', year: 'numeric' })
}
