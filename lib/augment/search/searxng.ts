import 'server-only'
import { z } from 'zod'
import { askJson } from '@/lib/augment/search/ask'
import { pagesOf } from '@/lib/augment/search/listed'
import { endpointOf, type SearchProvider, SearchUnavailable } from '@/lib/augment/search/provider'

/** Only its path counts: the operator names the server. */
const USUAL = 'http://localhost:8080/search'
const Reply = z.object({ results: z.unknown() })

/** A SearXNG server with the JSON format switched on. Source: docs.searxng.org, "Search API". */
export const searxng: SearchProvider = async ({ query, signal }, settings) => {
  const url = endpointOf(USUAL, settings)
  url.searchParams.set('q', query)
  url.searchParams.set('format', 'json')
  const headers = settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : undefined
  const reply = Reply.safeParse(await askJson(url, { method: 'GET', headers, signal }))
  if (!reply.success) throw new SearchUnavailable('format')
  return pagesOf(reply.data.results, 'publishedDate')
}
