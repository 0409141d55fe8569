import { useEffect, useState } from 'react'
import { language } from '@/lib/i18n/language'
import { formatDate, formatNumber } from '@/lib/i18n/t'

const KILO = 1024

/** @example formatBytes(5_400_000) // "5.1 MB" */
export function formatBytes(bytes: number): string {
  if (bytes < KILO) return `${bytes} B`
  if (bytes < KILO * KILO) return `${withDigits(bytes / KILO, 1)} KB`
  return `${withDigits(bytes / KILO / KILO, 1)} MB`
}

/** @example formatMs(1_234) // "1.23 s" */
export const formatMs = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${withDigits(ms / 1_000, 2)} s`)

const withDigits = (value: number, digits: number): string =>
  formatNumber(value, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false })

const UNITS: readonly [seconds: number, name: Intl.RelativeTimeFormatUnit][] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** Words a time three ways. `at` is in seconds, `now` in milliseconds. */
export function formatTime(at: number, now: number): { ago: string; local: string; utc: string } {
  const seconds = Math.round(at - now / 1000)
  const [size, unit] = UNITS.find(([length]) => Math.abs(seconds) >= length) ?? UNITS.at(-1)!
  const relative = new Intl.RelativeTimeFormat(language(), { style: 'short', numeric: 'always' })
  const date = new Date(at * 1000)
  return {
    ago: relative.format(Math.trunc(seconds / size), unit),
    local: formatDate(date, { dateStyle: 'medium', timeStyle: 'medium' }),
    utc: `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
  }
}

/** Returns the time in Unix milliseconds, anew every `everyMs`; `undefined` stops it. */
export function useNow(everyMs: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (everyMs === undefined) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
