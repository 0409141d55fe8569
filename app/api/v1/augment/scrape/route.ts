import { ScrapeRequest } from '@/lib/contract/augment.schema'
import { enterLimited } from '@/lib/endpoints/augment/call'
import { quoteScrape, renderScrape, runScrape } from '@/lib/endpoints/augment/scrape'
import { json } from '@/lib/pipeline/body'
import { metered } from '@/lib/pipeline/metered'
import { route } from '@/lib/pipeline/route'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: metered({
    parse: json(ScrapeRequest),
    price: quoteScrape, // refuses sites that forbid automated access; the price of a call
    enter: enterLimited('scrape'),
    run: runScrape, // every address on the way is checked before it is fetched
    respond: renderScrape,
  }),
})
