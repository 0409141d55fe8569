import type { Citation } from '@/lib/contract/chat.schema'
import { formatDate, plural, t } from '@/lib/i18n/t'

const CITED = /\[REF\]\s*(\d{1,4})\s*\[\/REF\]/gi

export function usedCitations(text: string): number[] {
  return [...new Set(Array.from(text.matchAll(CITED), ([, index]) => Number(index)))]
}

export type Source = { index: number; title: string; host: string; href?: string; date?: string; snippet?: string }

const MAX_SNIPPET_CHARS = 280

export function sourceOf({ title, url, content, date }: Citation, index: number): Source {
  const address = webAddress(url)
  const host = address?.hostname.replace(/^www\./, '') ?? ''
  const snippet = content?.replace(/\s+/g, ' ').trim()
  return {
    index,
    title: title.trim() || host || t('Untitled source'),
    host,
    ...(address && { href: address.href }),
    ...(date && { date: dayText(date) }),
    ...(snippet && {
      snippet: snippet.length > MAX_SNIPPET_CHARS ? `${snippet.slice(0, MAX_SNIPPET_CHARS)}…` : snippet,
    }),
  }
}

export function Monogram({ source }: { source: Source }) {
  return (
    <span
      aria-hidden="true"
      className="inline-flex size-5 shrink-0 items-center justify-center rounded-full bg-accent-soft font-serif text-12 text-accent"
    >
      {monogramOf(source)}
    </span>
  )
}

/** The icon of a site would be a request to it. */
export const monogramOf = ({ host, title }: Source): string => (host || title).charAt(0).toUpperCase()

export const sourcesText = (count: number): string => plural(count, { one: '{count} source', other: '{count} sources' })

export function sortedSources(citations: Citation[], used: number[]): Source[] {
  const sources = citations.map(sourceOf)
  const first = used.flatMap((index) => sources[index] ?? [])
  return [...first, ...sources.filter((source) => !first.includes(source))]
}

export function webAddress(url: string | undefined): URL | undefined {
  if (!url || !URL.canParse(url)) return undefined
  const address = new URL(url)
  const isWeb = address.protocol === 'https:' || address.protocol === 'http:'
  return isWeb && address.username === '' && address.password === '' ? address : undefined
}

function dayText(date: string): string {
  const at = Date.parse(date)
  return Number.isNaN(at) ? date.slice(0, 40) : formatDate(at, { dateStyle: 'medium' })
}

/** Removes the marks of sources, which say nothing without the list of sources. */
export const withoutMarks = (text: string): string => text.replace(MARK, '')

const MARK = /[ \t]*\[REF\][^[\]]*\[\/REF\]/g
