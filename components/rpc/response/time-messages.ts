import { language } from '@/lib/i18n/language'
import { formatDate } from '@/lib/i18n/t'

const UNITS: readonly [seconds: number, name: Intl.RelativeTimeFormatUnit][] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** A time three ways: how long ago, by the device's clock, and in UTC. `at` is in seconds, `now` in milliseconds. */
export function timeWords(at: number, now: number): { ago: string; local: string; utc: string } {
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
