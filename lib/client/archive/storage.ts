import { db } from '@/lib/client/history/database'
import { formatNumber, plural, t } from '@/lib/i18n/t'

/** What this browser has for its pages' data. Sizes are bytes. */
export type StorageState = { used?: number; most?: number; isPersistent?: boolean }

export async function storageState(): Promise<StorageState> {
  const { storage } = navigator
  const [estimate, isPersistent] = await Promise.all([
    storage?.estimate?.().catch(() => undefined),
    storage?.persisted?.().catch(() => undefined),
  ])
  return {
    ...(estimate?.usage !== undefined && { used: estimate.usage }),
    ...(estimate?.quota !== undefined && { most: estimate.quota }),
    ...(isPersistent !== undefined && { isPersistent }),
  }
}

/** Asks the browser never to clear what is kept here by itself. Some ask the person; so only by a click. */
export async function keepStorage(): Promise<boolean> {
  return (await navigator.storage?.persist?.().catch(() => false)) ?? false
}

/**
 * Asks quietly once there is something to keep, in browsers that decide without a word. Firefox shows a prompt: there it
 * waits for the click.
 */
export async function keepQuietly(): Promise<void> {
  const isPrompting = 'mozInnerScreenX' in window
  if (isPrompting || (await navigator.storage?.persisted?.())) return
  if ((await db.conversations.count()) > 0) await keepStorage()
}

/** A size for people. @example sizeText(1_500_000) // "1.5 MB" */
export function sizeText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1000 ** step
  const digits = value >= 10 || step === 0 ? 0 : 1
  const number = formatNumber(value, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${number} ${units[step]}`
}

/** How long ago, in whole days or hours. */
export function ageText(since: number, now: number): string {
  const hours = Math.floor((now - since) / 3_600_000)
  if (hours < 1) return t('less than an hour ago')
  if (hours < 24) return plural(hours, { one: 'an hour ago', other: '{count} hours ago' })
  const days = Math.floor(hours / 24)
  return plural(days, { one: 'a day ago', other: '{count} days ago' })
}
