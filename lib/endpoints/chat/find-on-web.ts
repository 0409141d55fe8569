import { boundOfWeb, pageLine, type WebPlan } from '@/lib/endpoints/chat/web-plan'
import {
  citationOf,
  FRAME_CHARS,
  FRAME_CHARS_PER_SOURCE,
  type NoFindings,
  type WebFindings,
} from '@/lib/endpoints/chat/web-prompt'
import 'server-only'
import { MAX_PAGES_READ } from '@/lib/contract/limits'
import { visible } from '@/lib/endpoints/chat/web-query'
import { log } from '@/lib/kernel/log'
import type { MemoryReservation } from '@/lib/services/media/memory-budget'
import { bestPassages } from '@/lib/services/web/passages'
import { scrape } from '@/lib/services/web/scrape'
import { SearchUnavailable, search } from '@/lib/services/web/search'

const MAX_RESULTS = 8
const MIN_TEXT_CHARS = 160
const SCRAPE_MS = 25_000
const MAX_TEXT_CHARS = 200_000

/**
 * Searches or reads pages and picks what fits the question. A web that does not answer never fails the request, and
 * costs nothing.
 *
 * @param o.budgetChars characters that `webPrompt` may take of the model's context.
 * @returns `failed` also where the model has no room for a source.
 * @throws the signal's reason when the caller left.
 */
export async function findOnWeb(
  plan: Extract<WebPlan, { mode: 'scrape' | 'search' }>,
  o: { question: string; budgetChars: number; signal: AbortSignal; memory?: MemoryReservation },
): Promise<WebFindings | NoFindings> {
  const remainingChars = o.budgetChars - FRAME_CHARS
  const maxSources = Math.floor(remainingChars / (FRAME_CHARS_PER_SOURCE + MIN_TEXT_CHARS))
  if (maxSources < 1) return 'failed'
  const found = plan.mode === 'scrape' ? await readPages(plan.urls, o) : await searchWeb(plan.query, o.signal)
  if (!found) return 'failed'
  const sources = found.flatMap((page) => {
    const citation = citationOf(page)
    const text = visible(page.content.slice(0, MAX_TEXT_CHARS)).trim()
    return citation && text !== '' ? [{ citation, text }] : []
  })
  if (sources.length === 0) return 'nothing_found'
  const quoted = Math.min(sources.length, maxSources)
  const texts = sources.map(({ text }) => text)
  const budgetChars = remainingChars - quoted * FRAME_CHARS_PER_SOURCE
  return {
    citations: sources.map(({ citation }) => citation),
    passages: await bestPassages(o.question, texts, { budgetChars, maxSources: quoted, signal: o.signal }),
    lines: plan.mode === 'scrape' ? [pageLine(sources.length)] : boundOfWeb(plan),
    kind: plan.mode,
  }
}

type Found = { title: string; url: string; content: string; date: string }

async function readPages(
  urls: string[],
  { signal, memory }: { signal: AbortSignal; memory?: MemoryReservation },
): Promise<Found[] | undefined> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(SCRAPE_MS)])
  const readOne = async (url: string) => {
    const endTurn = await memory?.turn('page', deadline)
    return await scrape(url, { signal: deadline }).finally(endTurn)
  }
  const pages = await Promise.allSettled(urls.slice(0, MAX_PAGES_READ).map(readOne))
  signal.throwIfAborted()
  const read = pages.flatMap((page) => (page.status === 'fulfilled' ? [page.value] : []))
  if (read.length < pages.length) log().info({ named: pages.length, read: read.length }, 'pages could not be read')
  return read.length > 0 ? read : undefined
}

async function searchWeb(query: string, signal: AbortSignal): Promise<Found[] | undefined> {
  try {
    return await search(query, { limit: MAX_RESULTS, signal })
  } catch (error) {
    signal.throwIfAborted()
    // A provider that is down is in the log already. Of anything else the name: the rest may hold the query.
    if (!(error instanceof SearchUnavailable))
      log().error({ reason: error instanceof Error ? error.name : 'unknown' }, 'web search failed unexpectedly')
    return undefined
  }
}
