import { SearchRequest } from '@/lib/contract/augment.schema'
import { enterLimited } from '@/lib/endpoints/augment/call'
import { quoteSearch, renderSearch, runSearch } from '@/lib/endpoints/augment/search'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(SearchRequest),
    price: quoteSearch, // where the provider that was asked for is, and the price of a call
    enter: enterLimited('search'),
    run: runSearch,
    respond: renderSearch,
  }),
})
