import 'server-only'
import { z } from 'zod'

/** What a provider said of one page, before anything of it is trusted. `date` in any form that it uses. */
export type FoundPage = { title: string; url: string; content: string; date: string }

export type SearchRequest = { query: string; limit: number; signal: AbortSignal }

/** Where the operator wants a provider asked, and as whom. */
export type ProviderSettings = { url?: string; apiKey?: string }

/**
 * The seam of web search: a query to pages, best first. More than `limit` do no harm.
 *
 * @throws SearchUnavailable, or the signal's reason when it aborted.
 */
export type SearchProvider = (request: SearchRequest, settings: ProviderSettings) => Promise<FoundPage[]>

export type SearchFault = 'unreachable' | 'timeout' | 'status' | 'too-large' | 'format' | 'bot-check'

/** The provider gave no answer that can be used. `message` is safe to show; `fault` and `status` are for the log. */
export class SearchUnavailable extends Error {
  override name = 'SearchUnavailable'
  readonly fault: SearchFault
  readonly status?: number

  constructor(fault: SearchFault, options: { status?: number; cause?: unknown } = {}) {
    super('Web search is not available at the moment. Try again later, or ask without it.', { cause: options.cause })
    this.fault = fault
    this.status = options.status
  }
}

/** The provider's own address, or the operator's: one with a path is used as it is, one without gets the usual path. */
export function endpointOf(usual: string, settings: ProviderSettings): URL {
  if (settings.url === undefined) return new URL(usual)
  const url = new URL(settings.url)
  if (url.pathname === '/') url.pathname = new URL(usual).pathname
  return url
}

/** Entries of a reply that are looked at, well-formed or not. */
const MAX_ENTRIES = 100

const text = z.string().nullish()

/** One entry of a JSON reply: an address, and whatever else a provider knows under these names. */
const Entry = z.object({ url: z.string(), title: text, content: text, description: text })

/**
 * The well-formed entries of a list; the others are passed over.
 *
 * @throws SearchUnavailable when there is no list at all.
 */
export function pagesOf(list: unknown, dateField: string): FoundPage[] {
  if (!Array.isArray(list)) throw new SearchUnavailable('format')
  return list.slice(0, MAX_ENTRIES).flatMap((entry: unknown) => {
    const parsed = Entry.safeParse(entry)
    if (!parsed.success) return []
    const { url, title, content, description } = parsed.data
    const date = (entry as Record<string, unknown>)[dateField]
    return [
      { url, title: title ?? '', content: content ?? description ?? '', date: typeof date === 'string' ? date : '' },
    ]
  })
}
