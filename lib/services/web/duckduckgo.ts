import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import {
  endpointOf,
  type FoundPage,
  readText,
  type SearchProvider,
  SearchUnavailable,
} from '@/lib/services/web/provider'

const USUAL = 'https://html.duckduckgo.com/html/'
const REST_MS = 60_000
const CHECK = '#challenge-form, .anomaly-modal__title, form[action*="anomaly.js"]'
const NOTHING_FOUND = '.no-results, .result--no-result'

/**
 * Reads DuckDuckGo's pages for browsers without scripts.
 *
 * @throws SearchUnavailable 'bot-check' when DuckDuckGo wants to see a person; it is not asked for a minute then.
 */
export const duckduckgo: SearchProvider = async ({ query, signal }, settings) => {
  const url = endpointOf(USUAL, settings)
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
  if (document.querySelector(CHECK)) throw new SearchUnavailable('bot-check')
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
  const url = URL.parse(href, USUAL)
  if (!url) return undefined
  if (!/(^|\.)duckduckgo\.com$/.test(url.hostname)) return url.href
  if (url.pathname === '/y.js') return undefined
  if (url.pathname !== '/l/') return url.href
  const target = url.searchParams.get('uddg')
  return target && !/^(https?:)?\/\/([\w-]+\.)*duckduckgo\.com\/(y\.js|l\/)/i.test(target) ? target : undefined
}
