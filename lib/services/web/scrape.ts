import 'server-only'
import { config } from '@/lib/kernel/config'
import { safeFetch } from '@/lib/kernel/safe-fetch/safe-fetch'
import { extractPage, extractText } from '@/lib/services/documents/text-parser'

export type Page = {
  url: string
  title: string
  content: string
  date: string
}

const MAX_PAGE_BYTES = 5 * 1_048_576
const MAX_CONTENT_CHARS = 200_000
const MAX_TITLE_CHARS = 300
const ACCEPT =
  'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/pdf;q=0.5, */*;q=0.1'
const PLAIN: ReadonlySet<string> = new Set(['text/plain', 'text/markdown', 'text/x-markdown', 'application/pdf'])
const MARKUP: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml'])

/**
 * Reads a page at an address from outside, as Markdown of the site's own where it has that. The result is untrusted.
 * Sites of the operator's blocklist are not asked.
 *
 * @param options.maxChars bound on the content, in UTF-16 units; a longer one is cut there.
 * @throws FetchRefused when it cannot be had, ExtractionError when it cannot be read, the signal's reason when it
 *   aborted.
 */
export async function scrape(
  url: string,
  { signal, maxChars = MAX_CONTENT_CHARS }: { signal: AbortSignal; maxChars?: number },
): Promise<Page> {
  const { mime, charset, bytes, ...fetched } = await safeFetch(url, {
    maxBytes: MAX_PAGE_BYTES,
    isBlocked,
    accept: ACCEPT,
    // Without a type the content tells.
    accepts: (type) => type === '' || PLAIN.has(type) || MARKUP.has(type),
    signal,
  })
  const { host } = new URL(fetched.url)
  if (MARKUP.has(mime) || (mime === '' && startsWithTag(bytes))) {
    const { title, content, date } = await extractPage(bytes, { url: fetched.url, charset, signal })
    return { url: fetched.url, title: title || host, content: content.slice(0, maxChars), date }
  }
  const file = { bytes, mime: charset ? `${mime || 'text/plain'}; charset=${charset}` : mime || undefined }
  const { text } = await extractText(file, { signal, maxChars })
  return { url: fetched.url, title: headingOf(text) || host, content: text, date: '' }
}

export function isBlocked({ hostname }: URL): boolean {
  const { scrapeBlocklist } = config()
  const labels = hostname.replace(/\.$/, '').split('.')
  return labels.some((_, index) => scrapeBlocklist.has(labels.slice(index).join('.')))
}

function startsWithTag(bytes: Uint8Array): boolean {
  return /^\s*<[a-z!?]/i.test(Buffer.from(bytes.subarray(0, 1024)).toString('latin1'))
}

function headingOf(text: string): string {
  return (/^\s*# +([^\n]+)/.exec(text)?.[1] ?? '')
    .slice(0, MAX_TITLE_CHARS)
    .replace(/\s*#*$/, '')
    .trim()
}
