import 'server-only'
import { z } from 'zod'
import {
  askJson,
  endpointOf,
  type FoundPage,
  type ProviderSettings,
  pagesOf,
  type SearchProvider,
  type SearchRequest,
  SearchUnavailable,
} from '@/lib/services/web/provider'

const USUAL = 'http://localhost:8080/search'
const Reply = z.object({ results: z.unknown() })

/** Asks a SearXNG server with the JSON format switched on. Source: docs.searxng.org, "Search API". */
export const searxng: SearchProvider = (request, settings) => ask(request, settings)

export const searxngGoogle: SearchProvider = (request, settings) => ask(request, settings, 'google')

async function ask(
  { query, signal }: SearchRequest,
  settings: ProviderSettings,
  engine?: string,
): Promise<FoundPage[]> {
  const url = endpointOf(USUAL, settings)
  url.searchParams.set('q', query)
  url.searchParams.set('format', 'json')
  if (engine !== undefined) url.searchParams.set('engines', engine)
  const headers = settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : undefined
  const reply = Reply.safeParse(await askJson(url, { method: 'GET', headers, signal }))
  if (!reply.success) throw new SearchUnavailable('format')
  return pagesOf(reply.data.results, 'publishedDate')
}
