import 'server-only'
import { request } from 'undici'
import { z } from 'zod'
import { perProcess } from '@/lib/kernel/per-process'

// A page as a provider describes it, untrusted. `date` in any form that it uses.
export type FoundPage = { title: string; url: string; content: string; date: string }

type SearchRequest = { query: string; limit: number; signal: AbortSignal }

export type ProviderSettings = { url?: string; apiKey?: string }

/**
 * Searches the web: a query to pages, best first. More than `limit` do no harm.
 *
 * @throws SearchUnavailable, or the signal's reason when it aborted.
 */
export type SearchProvider = (request: SearchRequest, settings: ProviderSettings) => Promise<FoundPage[]>

export type SearchFault = 'unreachable' | 'timeout' | 'status' | 'too-large' | 'format' | 'bot-check'

export class SearchUnavailable extends Error {
  override name = 'SearchUnavailable'
  readonly fault: SearchFault
  readonly status?: number

  constructor(fault: SearchFault, options: { status?: number; cause?: unknown } = {}) {
    super('Web search is not available at the moment. Try again later, or ask without it.', { cause: options.cause })
    this.fault = fault
    this.status = options.status
  }
}

// Resolves the provider's address: the operator's is used as it is, and without a path it gets the usual one.
function endpointOf(usual: string, settings: ProviderSettings): URL {
  if (settings.url === undefined) return new URL(usual)
  const url = new URL(settings.url)
  if (url.pathname === '/') url.pathname = new URL(usual).pathname
  return url
}

const MAX_ENTRIES = 100

const text = z.string().nullish()

const Entry = z.object({ url: z.string(), title: text, content: text, description: text })

function pagesOf(list: unknown, dateField: string): FoundPage[] {
  if (!Array.isArray(list)) throw new SearchUnavailable('format')
  return list.slice(0, MAX_ENTRIES).flatMap((entry: unknown) => {
    const parsed = Entry.safeParse(entry)
    if (!parsed.success) return []
    const { url, title, content, description } = parsed.data
    const date = (entry as Record<string, unknown>)[dateField]
    return [
      { url, title: title ?? '', content: content ?? description ?? '', date: typeof date === 'string' ? date : '' },
    ]
  })
}

const MAX_REPLY_BYTES = 1_048_576

type Question = {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  signal: AbortSignal
}

/**
 * Reads a provider's reply as text. The address is the operator's or ours, so it may be private; redirects are not
 * followed.
 *
 * @throws SearchUnavailable, or the signal's reason when it aborted.
 */
async function readText(url: URL, question: Question): Promise<string> {
  const { signal } = question
  try {
    const reply = await request(url, {
      method: question.method,
      headers: { 'user-agent': 'Mozilla/5.0 (compatible; Lagoon)', 'accept-encoding': 'identity', ...question.headers },
      body: question.body,
      signal,
    })
    const { statusCode: status, body } = reply
    // 202 is DuckDuckGo's way to say that it takes us for a robot.
    if (status !== 200) {
      await body.dump({ limit: 16_384, signal }).catch(() => {})
      throw new SearchUnavailable(status === 202 ? 'bot-check' : 'status', { status })
    }
    const chunks: Buffer[] = []
    let bytes = 0
    // Leaving the loop early destroys the body and its connection.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_REPLY_BYTES) throw new SearchUnavailable('too-large')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    throw thrown instanceof SearchUnavailable ? thrown : new SearchUnavailable('unreachable', { cause: thrown })
  }
}

async function readJson<T>(schema: z.ZodType<T>, url: URL, question: Question): Promise<T> {
  const text = await readText(url, { ...question, headers: { accept: 'application/json', ...question.headers } })
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    // The parser's message would quote the reply.
    throw new SearchUnavailable('format')
  }
}

const MAX_COUNT = 20
const MAX_BRAVE_WORDS = 50
const BraveReply = z.object({ type: z.literal('search'), web: z.object({ results: z.unknown() }).nullish() })
const Reply = z.object({ results: z.unknown() })

/** Searches with Brave's Web Search API. Source: api-dashboard.search.brave.com, "Web search". */
export const brave: SearchProvider = async ({ query, limit, signal }, settings) => {
  const url = endpointOf('https://api.search.brave.com/res/v1/web/search', settings)
  url.searchParams.set('q', query.split(' ').slice(0, MAX_BRAVE_WORDS).join(' '))
  url.searchParams.set('count', String(Math.min(limit, MAX_COUNT)))
  url.searchParams.set('result_filter', 'web')
  url.searchParams.set('text_decorations', 'false')
  const headers = { 'x-subscription-token': settings.apiKey ?? '' }
  const { web } = await readJson(BraveReply, url, { method: 'GET', headers, signal })
  return web ? pagesOf(web.results, 'page_age') : []
}

/** Searches with Tavily. Source: docs.tavily.com, "Tavily Search". */
export const tavily: SearchProvider = async ({ query, limit, signal }, settings) => {
  const { results } = await readJson(Reply, endpointOf('https://api.tavily.com/search', settings), {
    method: 'POST',
    headers: { authorization: `Bearer ${settings.apiKey ?? ''}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, max_results: Math.min(limit, MAX_COUNT), search_depth: 'basic' }),
    signal,
  })
  return pagesOf(results, 'published_date')
}

/** Searches with a SearXNG server that has the JSON format switched on. Source: docs.searxng.org, "Search API". */
const searxngWith =
  (engine?: string): SearchProvider =>
  async ({ query, signal }, settings) => {
    const url = endpointOf('http://localhost:8080/search', settings)
    url.searchParams.set('q', query)
    url.searchParams.set('format', 'json')
    if (engine !== undefined) url.searchParams.set('engines', engine)
    const headers = settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : undefined
    const { results } = await readJson(Reply, url, { method: 'GET', headers, signal })
    return pagesOf(results, 'publishedDate')
  }

export const searxng = searxngWith()
export const searxngGoogle = searxngWith('google')

const DUCKDUCKGO_URL = 'https://html.duckduckgo.com/html/'
const REST_MS = 60_000
const BOT_CHECK = '#challenge-form, .anomaly-modal__title, form[action*="anomaly.js"]'
const NOTHING_FOUND = '.no-results, .result--no-result'

/**
 * Reads DuckDuckGo's pages for browsers without scripts.
 *
 * @throws SearchUnavailable 'bot-check' when DuckDuckGo wants to see a person; it is not asked for a minute then.
 */
export const duckduckgo: SearchProvider = async ({ query, signal }, settings) => {
  const url = endpointOf(DUCKDUCKGO_URL, settings)
  const rests = perProcess('duckduckgo-rests', () => new Map<string, number>())
  if ((rests.get(url.href) ?? 0) > Date.now()) throw new SearchUnavailable('bot-check')
  try {
    const html = await readText(url, {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ q: withoutBangs(query), b: '', kl: 'wt-wt' }).toString(),
      signal,
    })
    return await resultsOf(html)
  } catch (error) {
    // One entry: the address is the operator's choice.
    if (error instanceof SearchUnavailable && error.fault === 'bot-check') rests.set(url.href, Date.now() + REST_MS)
    throw error
  }
}

// Removes bangs: `!w tides` would be sent on to another site, and `\tides` to the first result.
function withoutBangs(query: string): string {
  return query.replace(/(^|\s)[!\\]+(?=\S)/g, '$1')
}

async function resultsOf(html: string): Promise<FoundPage[]> {
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(html)
  if (document.querySelector(BOT_CHECK)) throw new SearchUnavailable('bot-check')
  const blocks = [...document.querySelectorAll('.result')]
  if (blocks.length === 0 && !document.querySelector(NOTHING_FOUND)) throw new SearchUnavailable('format')
  return blocks.flatMap((block) => {
    const link = block.querySelector('a.result__a')
    const href = link?.getAttribute('href')
    const url = href ? targetOf(href) : undefined
    if (!link || !url || block.classList.contains('result--ad')) return []
    return [
      {
        title: link.textContent ?? '',
        url,
        content: block.querySelector('.result__snippet')?.textContent ?? '',
        date: /\d{4}-\d{2}-\d{2}(?=T)/.exec(block.querySelector('.result__extras')?.textContent ?? '')?.[0] ?? '',
      },
    ]
  })
}

function targetOf(href: string): string | undefined {
  const url = URL.parse(href, DUCKDUCKGO_URL)
  if (!url) return undefined
  if (!/(^|\.)duckduckgo\.com$/.test(url.hostname)) return url.href
  if (url.pathname === '/y.js') return undefined
  if (url.pathname !== '/l/') return url.href
  const target = url.searchParams.get('uddg')
  return target && !/^(https?:)?\/\/([\w-]+\.)*duckduckgo\.com\/(y\.js|l\/)/i.test(target) ? target : undefined
}
