import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { FetchRefused, type RefusalReason } from '@/lib/kernel/safe-fetch/safe-fetch'
import { ExtractionError } from '@/lib/services/documents/text-parser'

const RETRY_AFTER_SECONDS = 5

/** Addresses that are not fetched, whoever asks. The caller has to change something. */
const REFUSED = {
  blocked: 'is on a site that forbids automated access, or leads to one',
  address:
    'is not a public address, or leads to one that is not: private, loopback and metadata addresses are not fetched, and no ports but 80 and 443',
  scheme: 'must begin with http:// or https:// and hold no user name and no password',
} as const satisfies Partial<Record<RefusalReason, string>>

type Refused = keyof typeof REFUSED

/** Addresses that gave nothing. That a server kept silent is told apart: what is asked here is public. */
const FAILED: Record<Exclude<RefusalReason, Refused | 'status'> | 'empty' | 'unreadable', string> = {
  unreachable: 'No server answered at this address. Check it, or try again later.',
  timeout: 'The site did not answer in time. Try again later.',
  redirect: 'The address redirects too often, or to where it may not.',
  type: 'There is no text at this address: what it holds is neither a page nor a document that can be read.',
  'too-large': 'The page is too large to be read.',
  encoding: 'The page is compressed in a way that cannot be read.',
  empty:
    'No text could be found on the page. It may need a browser that runs its scripts, or somebody who is signed in.',
  unreadable: 'The page is damaged, protected or too large, and could not be read.',
}

/** What went wrong with a page, as the caller hears it. Source: API contract, augment.md "scrape". */
export function scrapeFault(error: unknown): unknown {
  if (error instanceof ExtractionError) {
    if (error.reason !== 'busy') return cannotScrape(error.reason === 'empty' ? 'empty' : 'unreadable', error)
    const message = 'Too many pages are being read at the moment. Try again in a few seconds.'
    return new ApiError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error })
  }
  if (!(error instanceof FetchRefused)) return error
  const { reason } = error
  if (isRefused(reason)) return notScrapable(reason)
  // Its message names the status.
  if (reason === 'status') return new ApiError('SCRAPE_FAILED', error.message, { cause: error })
  return cannotScrape(reason, error)
}

export const notScrapable = (reason: Refused): ApiError => invalidField(['url'], REFUSED[reason])

export const cannotScrape = (reason: keyof typeof FAILED, cause: unknown): ApiError =>
  new ApiError('SCRAPE_FAILED', FAILED[reason], { cause })

const isRefused = (reason: RefusalReason): reason is Refused => reason in REFUSED
