import 'server-only'
import { z } from 'zod'
import { askJson, endpointOf, pagesOf, type SearchProvider, SearchUnavailable } from '@/lib/services/web/provider'

const USUAL = 'https://api.search.brave.com/res/v1/web/search'
const MAX_WORDS = 50
const MAX_COUNT = 20
const Reply = z.object({ type: z.literal('search'), web: z.object({ results: z.unknown() }).nullish() })

/** Asks Brave's Web Search API. Source: api-dashboard.search.brave.com, "Web search". */
export const brave: SearchProvider = async ({ query, limit, signal }, settings) => {
  const url = endpointOf(USUAL, settings)
  url.searchParams.set('q', query.split(' ').slice(0, MAX_WORDS).join(' '))
  url.searchParams.set('count', String(Math.min(limit, MAX_COUNT)))
  url.searchParams.set('result_filter', 'web')
  url.searchParams.set('text_decorations', 'false')
  const headers = { 'x-subscription-token': settings.apiKey ?? '' }
  const reply = Reply.safeParse(await askJson(url, { method: 'GET', headers, signal }))
  if (!reply.success) throw new SearchUnavailable('format')
  return reply.data.web ? pagesOf(reply.data.web.results, 'page_age') : []
}
