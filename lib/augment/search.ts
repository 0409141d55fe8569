import 'server-only'
import { brave } from '@/lib/augment/search/brave'
import { cleanResults, type SearchResult } from '@/lib/augment/search/clean'
import { duckduckgo } from '@/lib/augment/search/duckduckgo'
import { type SearchProvider, SearchUnavailable } from '@/lib/augment/search/provider'
import { searxng } from '@/lib/augment/search/searxng'
import { tavily } from '@/lib/augment/search/tavily'
import { type Config, config } from '@/lib/core/config'
import { log } from '@/lib/core/log'

export type { SearchResult } from '@/lib/augment/search/clean'
export { SearchUnavailable } from '@/lib/augment/search/provider'

/** What the providers take; DuckDuckGo would take a hundred more. */
const MAX_QUERY_CHARS = 400
const MAX_RESULTS = 20
const DEADLINE_MS = 10_000

const PROVIDERS: Record<Config['search']['provider'], SearchProvider> = { duckduckgo, searxng, brave, tavily }

/**
 * Searches the web with the provider of the configuration. Results are plain text and web addresses, each page once; a
 * query without words finds nothing.
 *
 * @throws SearchUnavailable when the provider gave no answer in time, or the signal's reason when it aborted.
 */
export async function search(
  query: string,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<SearchResult[]> {
  signal.throwIfAborted()
  const words = wordsOf(query)
  const wanted = Math.min(Math.max(Math.floor(limit), 0), MAX_RESULTS)
  if (words === '' || wanted === 0) return []
  const { provider, url, apiKey } = config().search
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), DEADLINE_MS)
  try {
    const request = { query: words, limit: wanted, signal: AbortSignal.any([signal, deadline.signal]) }
    return await cleanResults(await PROVIDERS[provider](request, { url, apiKey }), wanted)
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    const failure = deadline.signal.aborted ? new SearchUnavailable('timeout') : thrown
    if (!(failure instanceof SearchUnavailable)) throw failure
    log().warn({ provider, fault: failure.fault, status: failure.status, code: codeOf(failure.cause) }, 'search failed')
    throw new SearchUnavailable(failure.fault, { status: failure.status })
  } finally {
    clearTimeout(timer)
  }
}

function wordsOf(query: string): string {
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

/** The code alone: the rest of an error may quote the address. */
function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
}
