/** How the numbers of a cell are to be read. */
export type NumberKind = 'number' | 'percent' | 'date' | 'time' | 'date-time' | 'duration'

/** Formats that have a number and no code in the file. Source: ECMA-376 part 1, 18.8.30. */
const BUILT_IN: [number, number, NumberKind][] = [
  [9, 10, 'percent'],
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'date-time'],
  [27, 31, 'date'],
  [32, 35, 'time'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'duration'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'time'],
  [57, 58, 'date'],
]
const LONGEST_CODE = 500
const MS_PER_DAY = 86_400_000
/** Day 25569 of the 1900 system is 1 January 1970; the 1904 system begins 1462 days later. */
const EPOCH_SERIAL = 25_569
const SERIALS_BETWEEN_SYSTEMS = 1_462
/** 31 December 9999, the last day there is. */
const LAST_SERIAL = 2_958_465

/** What a format means, by its number and, where the file defines it, its code. */
export function numberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2] ?? 'number'
  // Only the format of positive numbers, without literals, escapes, padding, colours and locales.
  const plain = code
    .slice(0, LONGEST_CODE)
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .split(';')[0]!
    .toLowerCase()
  if (/\[(?:h+|m+|s+)\]/.test(plain)) return 'duration'
  const bare = plain.replace(/\[[^\]]*\]/g, '').replace(/general/g, '')
  const hasTime = /[hs]/.test(bare)
  const hasDate = /[dy]/.test(bare) || (!hasTime && /m/.test(bare))
  if (hasDate) return hasTime ? 'date-time' : 'date'
  if (hasTime) return 'time'
  return bare.includes('%') ? 'percent' : 'number'
}

/** A cell's number as text: dates in ISO form, numbers without the noise of binary fractions. */
export function formatNumber(raw: string, kind: NumberKind, is1904: boolean): string {
  const value = Number(raw)
  if (raw.trim() === '' || !Number.isFinite(value)) return raw.trim()
  if (kind === 'number') return plainNumber(value)
  if (kind === 'percent') return `${plainNumber(value * 100)}%`
  if (value < 0 || value > LAST_SERIAL) return plainNumber(value)
  if (kind === 'duration') return clock(value)
  // Day 60 of the 1900 system is 29 February 1900, which never was: days before it are one off.
  const serial = is1904 ? value + SERIALS_BETWEEN_SYSTEMS : value < 60 ? value + 1 : value
  const iso = new Date(Math.round(((serial - EPOCH_SERIAL) * MS_PER_DAY) / 1000) * 1000).toISOString()
  if (kind === 'time') return iso.slice(11, 19)
  return kind === 'date' ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
}

const plainNumber = (value: number): string => String(Number(value.toPrecision(15)))

function clock(days: number): string {
  const seconds = Math.round(days * 86_400)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
