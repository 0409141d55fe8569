import 'server-only'
import type { ScrapeRequest, ScrapeResponse } from '@/lib/contract/augment.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { linesOf, quoteCall } from '@/lib/endpoints/augment/call'
import type { RequestContext } from '@/lib/kernel/request-context'
import { FetchRefused, type RefusalReason } from '@/lib/kernel/safe-fetch/safe-fetch'
import { busyError } from '@/lib/pipeline/error-response'
import type { Quote } from '@/lib/pipeline/metered'
import { jsonReply, type Reply } from '@/lib/pipeline/reply'
import { ExtractionError } from '@/lib/services/documents/text-parser'
import type { Meter } from '@/lib/services/ledger/meter'
import { withMemoryAndDeadline } from '@/lib/services/media/memory-budget'
import { isBlocked, type Page, scrape } from '@/lib/services/web/scrape'

// The site has bounds of its own; pages also wait for their turn to be read.
const DEADLINE_MS = 60_000
const MAX_CONTENT_CHARS = 2_000_000

/** Refuses a site that forbids automated access before anything is on hold. */
export function quoteScrape({ url }: ScrapeRequest): Quote<ScrapeRequest> {
  if (isBlocked(new URL(url))) throw notScrapable('blocked')
  return quoteCall('scrape', { url })
}

export const runScrape = (
  { url }: ScrapeRequest,
  meter: Meter,
  _context: RequestContext,
  left: AbortSignal,
): Promise<Page> =>
  withMemoryAndDeadline({ ...BOUNDS, accountId: meter.hold.accountId, left }, async (memory, signal) => {
    const endTurn = await memory.turn('page', signal)
    const page = await scrape(url, { signal, maxChars: MAX_CONTENT_CHARS }).finally(endTurn)
    meter.readWith(() => ({ lines: linesOf('scrape') }))
    return page
  })

const BOUNDS = {
  deadlineMs: DEADLINE_MS,
  timeoutError: (cause: unknown) => cannotScrape('timeout', cause),
  toCallerError: scrapeFault,
}

export async function renderScrape(output: Promise<Page>, { url: asked }: ScrapeRequest): Promise<Reply> {
  const { url, content } = await output
  const isWhereItWas = url === new URL(asked).href
  return jsonReply({ url: isWhereItWas ? asked : url, content, format: 'markdown' } satisfies ScrapeResponse)
}

// Addresses that are never fetched: the caller has to change something.
const REFUSED = {
  blocked: 'is on a site that forbids automated access, or leads to one',
  address:
    'is not a public address, or leads to one that is not: private, loopback and metadata addresses are not fetched, and no ports but 80 and 443',
  scheme: 'must begin with http:// or https:// and must not contain a user name or a password',
} as const satisfies Partial<Record<RefusalReason, string>>

type Refused = keyof typeof REFUSED

// Addresses that gave nothing. Timeouts are told apart, as only public addresses are fetched here.
const FAILED: Record<Exclude<RefusalReason, Refused | 'status'> | 'empty' | 'unreadable', string> = {
  unreachable: 'No server answered at this address. Check it, or try again later.',
  timeout: 'The site did not answer in time. Try again later.',
  redirect: 'The URL redirects too often, or to a blocked address.',
  type: 'There is no text at this URL: it is neither a web page nor a readable document.',
  'too-large': 'The page is too large to be read.',
  encoding: 'The page is compressed in a way that cannot be read.',
  empty: 'No text was found on the page. The page may need JavaScript or a sign-in.',
  unreadable: 'The page is damaged, protected or too large, and could not be read.',
}

/** Maps what went wrong with a page. Source: API contract, augment.md "scrape". */
export function scrapeFault(error: unknown): unknown {
  if (error instanceof ExtractionError) {
    if (error.reason !== 'busy') return cannotScrape(error.reason === 'empty' ? 'empty' : 'unreadable', error)
    return busyError(error, 'Too many pages are being read at the moment. Try again in a few seconds.')
  }
  if (!(error instanceof FetchRefused)) return error
  const { reason } = error
  if (isRefused(reason)) return notScrapable(reason)
  // Its message names the status.
  if (reason === 'status') return new ApiError('SCRAPE_FAILED', error.message, { cause: error })
  return cannotScrape(reason, error)
}

const notScrapable = (reason: Refused): ApiError => invalidField(['url'], REFUSED[reason])

const cannotScrape = (reason: keyof typeof FAILED, cause: unknown): ApiError =>
  new ApiError('SCRAPE_FAILED', FAILED[reason], { cause })

const isRefused = (reason: RefusalReason): reason is Refused => reason in REFUSED
