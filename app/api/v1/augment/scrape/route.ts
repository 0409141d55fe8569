import { json } from '@/lib/api/body'
import { metered } from '@/lib/api/metered'
import { route } from '@/lib/api/route'
import { enterLimited } from '@/lib/augment/endpoints/enter'
import { quoteScrape, renderScrape, runScrape } from '@/lib/augment/endpoints/scrape'
import { ScrapeRequest } from '@/lib/contract/augment.schema'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(ScrapeRequest),
    price: quoteScrape, // refuses sites that forbid automated access; the price of a call
    enter: enterLimited('scrape'),
    run: runScrape, // every address on the way is checked before it is fetched
    respond: renderScrape,
  }),
})
