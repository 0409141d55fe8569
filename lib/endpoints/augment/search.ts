import 'server-only'
import type { SearchRequest, SearchResponse } from '@/lib/contract/augment.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { linesOf, quoteCall } from '@/lib/endpoints/augment/call'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import type { Meter } from '@/lib/services/ledger/meter'
import type { SearchFault } from '@/lib/services/web/provider'
import {
  googleBackend,
  type SearchBackend,
  type SearchResult,
  SearchUnavailable,
  search,
  serviceBackend,
} from '@/lib/services/web/search'

type SearchWork = Omit<SearchRequest, 'search_provider'> & { backend: SearchBackend }

const NO_GOOGLE =
  'google is not set up on this service; leave the field out to search with what is, or ask the operator to set SEARCH_GOOGLE_URL'

/** Resolves the provider; `brave`, the default of the field, is whatever this service searches with. */
export function quoteSearch({ search_provider: chosen, ...request }: SearchRequest): Quote<SearchWork> {
  const backend = chosen === 'google' ? googleBackend() : serviceBackend()
  if (!backend) throw invalidField(['search_provider'], NO_GOOGLE)
  return quoteCall('search', { ...request, backend })
}

/** Asks the provider. No results is an answer, too. */
export async function runSearch(
  { query, limit, backend }: SearchWork,
  meter: Meter,
  _context: RequestContext,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  try {
    const results = await search(query, { limit, backend, signal })
    meter.readWith(() => ({ lines: linesOf('search') }))
    return results
  } catch (error) {
    if (!(error instanceof SearchUnavailable)) throw error
    throw new ApiError('SEARCH_FAILED', `${FAULTS[error.fault]} Nothing was charged.`, { cause: error })
  }
}

const FAULTS: Record<SearchFault, string> = {
  timeout: 'The search provider did not answer in time. Try again.',
  unreachable: 'The search provider could not be reached. Try again later.',
  'bot-check': 'The search provider turns this service away for the moment. Try again in a minute.',
  status: 'The search provider answered with an error. Try again later.',
  'too-large': 'What the search provider answered could not be read. Try other words.',
  format: 'What the search provider answered could not be read. Try again later.',
}

export async function renderSearch(output: Promise<SearchResult[]>, { query }: SearchWork): Promise<Reply> {
  return jsonReply({ query, results: await output } satisfies SearchResponse)
}
