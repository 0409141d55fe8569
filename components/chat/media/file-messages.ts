import type { Attachment } from '@/lib/browser/storage/records'
import { formatNumber } from '@/lib/i18n/t'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
const STEP = 1000

/** A size in the reader's own words: `1.4 MB`. */
export function sizeWords(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit += 1
  }
  const maximumFractionDigits = unit === 0 || value >= 10 ? 0 : 1
  return formatNumber(value, {
    style: 'unit',
    unit: UNITS[unit] ?? 'byte',
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits,
  })
}

/** A length of time as players write it: `1:05`, `1:00:05`. */
export function lengthWords(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const tail = String(rest).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])

/**
 * What the bytes of a file may be taken for in an address of this page: a picture, a sound, a film, or plain bytes. A page
 * or a drawing that runs would run as ours.
 */
export function safeMediaType({ kind, mediaType }: Attachment): string {
  if (kind === 'image') return IMAGE_TYPES.has(mediaType) ? mediaType : 'image/png'
  if ((kind === 'audio' || kind === 'video') && new RegExp(`^${kind}/[\\w.+-]{1,60}$`).test(mediaType)) return mediaType
  return 'application/octet-stream'
}

// Signs that turn the direction of what follows, and what is not shown at all: a name must not hide its ending.
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** A name of a file as it may be shown and saved. */
export const safeName = (name: string): string => name.replace(HIDDEN, '').replace(/[\\/]/g, '_').trim() || 'file'
