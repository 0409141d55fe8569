import { useEffect, useState } from 'react'
import type { Counted, MessageText } from '@/components/rpc/response/decode/decoded'
import { fill, formatDate, language, plural, t } from '@/lib/i18n/t'

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

/** Returns the time in Unix milliseconds, anew every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

export function toText(text: MessageText): string {
  if (typeof text === 'string') return text
  return 'counted' in text ? COUNTED[text.counted](text.count) : t(text.text, text.values)
}

export function toEnglish(text: MessageText): string {
  if (typeof text === 'string') return text
  if (!('counted' in text)) return fill(text.text, text.values)
  const [one, other] = ENGLISH[text.counted]
  return fill(text.count === 1 ? one : other, { count: text.count.toLocaleString('en') })
}

const COUNTED: Record<Counted, (count: number) => string> = {
  bytes: (count) => plural(count, { one: '{count} byte', other: '{count} bytes' }),
  'contract-bytes': (count) =>
    plural(count, { one: 'A contract of {count} byte.', other: 'A contract of {count} bytes.' }),
  entries: (count) => plural(count, { one: '{count} entry', other: '{count} entries' }),
  transactions: (count) => plural(count, { one: '{count} transaction', other: '{count} transactions' }),
}

const ENGLISH: Record<Counted, [one: string, other: string]> = {
  bytes: ['{count} byte', '{count} bytes'],
  'contract-bytes': ['A contract of {count} byte.', 'A contract of {count} bytes.'],
  entries: ['{count} entry', '{count} entries'],
  transactions: ['{count} transaction', '{count} transactions'],
}

const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029\ufff9-\ufffb]/gu
const MAX_SHOWN_CHARS = 4_000

/** Escapes invisible characters and those that change the direction of text, in text of strangers. */
export function visibleText(text: string): string {
  const shown = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text
  return shown
    .toWellFormed()
    .replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16).padStart(4, '0')}}`)
}
