import { MAX_AUDIO_SECONDS, MAX_FILE_BYTES, MAX_VIDEO_SECONDS } from '@/lib/contract/limits'
import { formatNumber } from '@/lib/i18n/t'
/** What the service reads, so that nothing it would refuse is sent. Source: docs/chat.md and the service's own bounds. */

export const MAX_AUDIO_MS = MAX_AUDIO_SECONDS * 1_000
export const MAX_VIDEO_MS = MAX_VIDEO_SECONDS * 1_000
/** The longest sound that fits into one file as WAV of one channel, 16 bits, 16 kHz. */
export const MAX_WAV_SECONDS = Math.floor(MAX_FILE_BYTES / 32_000) - 1
/** A request is 35 MB; base64 makes four characters of three bytes, and words need room too. */
export const MAX_REQUEST_BYTES = 26_000_000

/** A paste that is longer becomes a file. Characters. */
export const LONG_PASTE_CHARS = 4_000

/** Files that may wait in one draft; more are left out. */
export const MAX_DRAFT_FILES = 20

/** A size as people say it. @example formatSize(1_500_000) // "1.5 MB" */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${formatNumber(bytes)} B`
  if (bytes < 999_500) return `${formatNumber(Math.round(bytes / 1_000))} KB`
  const megabytes = bytes / 1_000_000
  const digits = megabytes < 9.95 ? 1 : 0
  return `${formatNumber(megabytes, { minimumFractionDigits: digits, maximumFractionDigits: digits })} MB`
}

/** A length as players show it. @example formatLength(65_400) // "1:05" */
export function formatLength(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const rest = String(seconds % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}
