import 'server-only'
import { z } from 'zod'
import { askJson, endpointOf, pagesOf, type SearchProvider, SearchUnavailable } from '@/lib/services/web/provider'

const USUAL = 'https://api.tavily.com/search'
const MAX_COUNT = 20
const Reply = z.object({ results: z.unknown() })

/** Asks Tavily. Source: docs.tavily.com, "Tavily Search". */
export const tavily: SearchProvider = async ({ query, limit, signal }, settings) => {
  const reply = Reply.safeParse(
    await askJson(endpointOf(USUAL, settings), {
      method: 'POST',
      headers: { authorization: `Bearer ${settings.apiKey ?? ''}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, max_results: Math.min(limit, MAX_COUNT), search_depth: 'basic' }),
      signal,
    }),
  )
  if (!reply.success) throw new SearchUnavailable('format')
  return pagesOf(reply.data.results, 'published_date')
}
