import 'server-only'
import type { ScrapeRequest, ScrapeResponse } from '@/lib/contract/augment.schema'
import { linesOf, quoteCall } from '@/lib/endpoints/augment/quote'
import { cannotScrape, notScrapable, scrapeFault } from '@/lib/endpoints/augment/scrape-fault'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import type { Meter } from '@/lib/services/ledger/meter'
import { inTime } from '@/lib/services/media/in-time'
import { isBlocked, type Page, scrape } from '@/lib/services/web/scrape'

/** The site's answer has bounds of its own; pages also wait for their turn to be read. */
const DEADLINE_MS = 60_000
/** What a page may say; longer ones are cut there. */
const MAX_CONTENT_CHARS = 2_000_000

/** An address → the work; a site that forbids automated access is refused before anything is set aside. */
export function quoteScrape({ url }: ScrapeRequest): Quote<ScrapeRequest> {
  if (isBlocked(new URL(url))) throw notScrapable('blocked')
  return quoteCall('scrape', { url })
}

/** Fetches the page and makes Markdown of it. */
export const runScrape = (
  { url }: ScrapeRequest,
  meter: Meter,
  _context: RequestContext,
  left: AbortSignal,
): Promise<Page> =>
  inTime({ ...BOUNDS, accountId: meter.hold.accountId, left }, async (hand, signal) => {
    const endTurn = await hand.turn('page', signal)
    const page = await scrape(url, { signal, maxChars: MAX_CONTENT_CHARS }).finally(endTurn)
    meter.read = () => ({ lines: linesOf('scrape') })
    return page
  })

const BOUNDS = {
  deadlineMs: DEADLINE_MS,
  tooLate: (cause: unknown) => cannotScrape('timeout', cause),
  inTerms: scrapeFault,
}

export async function renderScrape(output: Promise<Page>, { url: asked }: ScrapeRequest): Promise<Reply> {
  const { url, content } = await output
  const isWhereItWas = url === new URL(asked).href
  return jsonReply({ url: isWhereItWas ? asked : url, content, format: 'markdown' } satisfies ScrapeResponse)
}
