import { formatNumber, plural, t } from '@/lib/i18n/t'

export const seconds = (ms: number): string => {
  const decimals = ms < 9_950 ? 1 : 0
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return t('{seconds} s', { seconds: formatNumber(ms / 1000, digits) })
}

export const searched = (sources: number): string =>
  plural(sources, { one: '{count} source', other: '{count} sources' })
