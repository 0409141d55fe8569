import { formatSeconds } from '@/lib/browser/format/duration'
import { formatNumber } from '@/lib/i18n/t'

/** Formats milliseconds in the page's language. @example formatMilliseconds(84.4) // "84 ms" */
export const formatMilliseconds = (ms: number): string =>
  formatNumber(ms, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 })

/** Formats how long a call took. @example formatLatency(84.4) // "84 ms" */
export const formatLatency = (ms: number): string => (ms < 999.5 ? formatMilliseconds(ms) : formatSeconds(ms))
