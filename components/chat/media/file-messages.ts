import type { Attachment } from '@/lib/browser/storage/records'
import { formatNumber } from '@/lib/i18n/t'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
const STEP = 1000

export function sizeText(bytes: number): string {
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

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])

/** Returns a media type that is safe in an object URL: a page or a scripted drawing would run with our origin. */
export function safeMediaType({ kind, mediaType }: Attachment): string {
  if (kind === 'image') return IMAGE_TYPES.has(mediaType) ? mediaType : 'image/png'
  if ((kind === 'audio' || kind === 'video') && new RegExp(`^${kind}/[\\w.+-]{1,60}$`).test(mediaType)) return mediaType
  return 'application/octet-stream'
}

// Signs that turn the direction of what follows, and what is not shown at all: a name must not hide its ending.
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

export const safeName = (name: string): string => name.replace(HIDDEN, '').replace(/[\\/]/g, '_').trim() || 'file'
