import 'server-only'
import { log } from '@/lib/kernel/log'
import { type SearchBackend, serviceBackend } from '@/lib/services/web/backend'
import { cleanResults, type SearchResult } from '@/lib/services/web/clean'
import { SearchUnavailable } from '@/lib/services/web/provider'

export type { SearchResult } from '@/lib/services/web/clean'
export { SearchUnavailable } from '@/lib/services/web/provider'

/** What the providers take; DuckDuckGo would take a hundred more. */
const MAX_QUERY_CHARS = 400
const MAX_RESULTS = 20
const DEADLINE_MS = 10_000

/**
 * Searches the web with the provider of the configuration, or another backend. Results are plain text and web addresses, each page once; a
 * query without words finds nothing.
 *
 * @throws SearchUnavailable when the provider gave no answer in time, or the signal's reason when it aborted.
 */
export async function search(
  query: string,
  { limit, signal, backend = serviceBackend() }: { limit: number; signal: AbortSignal; backend?: SearchBackend },
): Promise<SearchResult[]> {
  signal.throwIfAborted()
  const words = wordsOf(query)
  const wanted = Math.min(Math.max(Math.floor(limit), 0), MAX_RESULTS)
  if (words === '' || wanted === 0) return []
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), DEADLINE_MS)
  try {
    const request = { query: words, limit: wanted, signal: AbortSignal.any([signal, deadline.signal]) }
    return await cleanResults(await backend.ask(request, backend.settings), wanted)
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
