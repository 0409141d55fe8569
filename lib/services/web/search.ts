import 'server-only'
import { type Config, config } from '@/lib/kernel/config'
import { log } from '@/lib/kernel/log'
import {
  brave,
  duckduckgo,
  type FoundPage,
  type ProviderSettings,
  type SearchProvider,
  SearchUnavailable,
  searxng,
  searxngGoogle,
  tavily,
} from '@/lib/services/web/provider'

export { SearchUnavailable } from '@/lib/services/web/provider'

const MAX_QUERY_CHARS = 400
const MAX_RESULTS = 20
const DEADLINE_MS = 10_000

/**
 * Searches the web with the provider of the configuration, or another backend. Results are plain text and web
 * addresses, each page once; a query without words finds nothing.
 *
 * @throws SearchUnavailable when the provider gave no answer in time, or the signal's reason when it aborted.
 */
export async function search(
  query: string,
  { limit, signal, backend = serviceBackend() }: { limit: number; signal: AbortSignal; backend?: SearchBackend },
): Promise<SearchResult[]> {
  signal.throwIfAborted()
  const terms = searchTermsOf(query)
  const wanted = Math.min(Math.max(Math.floor(limit), 0), MAX_RESULTS)
  if (terms === '' || wanted === 0) return []
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), DEADLINE_MS)
  try {
    const request = { query: terms, limit: wanted, signal: AbortSignal.any([signal, deadline.signal]) }
    return await cleanResults(await backend.find(request, backend.settings), wanted)
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    const failure = deadline.signal.aborted ? new SearchUnavailable('timeout') : thrown
    if (!(failure instanceof SearchUnavailable)) throw failure
    log().warn(
      { provider: backend.name, fault: failure.fault, status: failure.status, code: codeOf(failure.cause) },
      'search failed',
    )
    throw new SearchUnavailable(failure.fault, { status: failure.status })
  } finally {
    clearTimeout(timer)
  }
}

function searchTermsOf(query: string): string {
  const line = query
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  if (line.length <= MAX_QUERY_CHARS) return line
  const head = line.slice(0, MAX_QUERY_CHARS + 1)
  const end = head.lastIndexOf(' ')
  // Without a blank there is no word to keep whole.
  return (end > 0 ? head.slice(0, end) : head.slice(0, MAX_QUERY_CHARS).replace(/[\ud800-\udbff]$/, '')).trim()
}

// The code alone: the rest of an error may quote the address.
function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
}

export type SearchResult = {
  title: string
  url: string
  content: string
  date: string
}

const MAX_TITLE_CHARS = 300
const MAX_CONTENT_CHARS = 2_000
const MAX_URL_CHARS = 2_048
const MAX_MARKUP_CHARS = 6_000
// Bidirectional marks, tags, and blanks of no width. Joiners belong to scripts.
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu
const BLANKS = /[\p{Cc}\s]+/gu
const MAX_DATE_CHARS = 64
const HAS_ZONE = /(?:[A-Z]|[+-]\d{2}:?\d{2})$/
const DAY_MS = 86_400_000

async function cleanResults(pages: FoundPage[], limit: number): Promise<SearchResult[]> {
  const seen = new Set<string>()
  const results: SearchResult[] = []
  for (const page of pages) {
    if (results.length >= limit) break
    const url = webAddress(page.url)
    if (!url || seen.has(sameness(url))) continue
    seen.add(sameness(url))
    const title = cut(await plainText(page.title), MAX_TITLE_CHARS)
    const content = cut(await plainText(page.content), MAX_CONTENT_CHARS)
    results.push({ title: title || url.hostname, url: url.href, content, date: isoDay(page.date) })
  }
  return results
}

function webAddress(text: string): URL | undefined {
  const url = text.length > MAX_URL_CHARS ? null : URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  // Neither shown nor fetched: a name in front of the host is a disguise.
  return url.username || url.password || url.href.length > MAX_URL_CHARS ? undefined : url
}

function sameness({ host, pathname, search }: URL): string {
  return `${host.replace(/^www\./, '')}${pathname.replace(/\/$/, '')}${search}`
}

async function plainText(markup: string): Promise<string> {
  const bounded = markup.slice(0, MAX_MARKUP_CHARS)
  return (await withoutMarkup(bounded)).toWellFormed().replace(UNSEEN, '').replace(BLANKS, ' ').trim()
}

async function withoutMarkup(text: string): Promise<string> {
  if (!/[<&]/.test(text)) return text
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(`<!doctype html><html><body>${text}</body></html>`)
  for (const element of document.querySelectorAll('script, style, template, noscript, svg')) element.remove()
  return document.body.textContent ?? ''
}

function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  return `${text.slice(0, maxChars - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function isoDay(text: string): string {
  if (text.length > MAX_DATE_CHARS) return ''
  const written = /^\d{4}-\d{2}-\d{2}/.exec(text.trim())?.[0]
  const at = Date.parse(written ?? (HAS_ZONE.test(text) ? text : `${text} UTC`))
  if (!(at >= Date.UTC(1990) && at < Date.now() + DAY_MS)) return ''
  const day = new Date(at).toISOString().slice(0, 10)
  // 31 February would be taken for a day in March.
  return written === undefined || written === day ? day : ''
}

export type SearchBackend = { name: string; find: SearchProvider; settings: ProviderSettings }

const PROVIDERS: Record<Config['search']['provider'], SearchProvider> = { duckduckgo, searxng, brave, tavily }

export function serviceBackend(): SearchBackend {
  const { provider, url, apiKey } = config().search
  return { name: provider, find: PROVIDERS[provider], settings: { url, apiKey } }
}

/**
 * Finds the SearXNG server that is asked for Google. Its key goes only to the server that it is for.
 *
 * @returns undefined where the operator has none.
 */
export function googleBackend(): SearchBackend | undefined {
  const { provider, url, apiKey, googleUrl } = config().search
  if (googleUrl !== undefined) return { name: 'google', find: searxngGoogle, settings: { url: googleUrl } }
  return provider === 'searxng' ? { name: 'google', find: searxngGoogle, settings: { url, apiKey } } : undefined
}
