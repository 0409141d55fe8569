import { plural } from '@/lib/i18n/t'

export const searched = (sources: number): string =>
  plural(sources, { one: '{count} source', other: '{count} sources' })
