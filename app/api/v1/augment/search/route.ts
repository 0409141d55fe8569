import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { enterLimited } from '@/lib/augment/endpoints/enter'
import { quoteSearch, renderSearch, runSearch } from '@/lib/augment/endpoints/search'
import { SearchRequest } from '@/lib/contract/augment.schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(SearchRequest),
    price: quoteSearch, // where the provider that was asked for is, and the price of a call
    enter: enterLimited('search'),
    run: runSearch,
    respond: renderSearch,
  }),
})
