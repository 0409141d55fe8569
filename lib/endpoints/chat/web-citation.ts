import type { Citation } from '@/lib/contract/chat.schema'
import { cutAtWord } from '@/lib/endpoints/chat/web-query'
import { visibleLine } from '@/lib/endpoints/chat/web-text'
import { normalUrl } from '@/lib/endpoints/chat/web-urls'

const MAX_TITLE_CHARS = 200
const MAX_SNIPPET_CHARS = 500
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/

/**
 * A source as a reply shows it: an http or https address, title and snippet on one line each with nothing unseen in them.
 * Whoever wrote the source wrote these too.
 *
 * @returns nothing where the address is none that a reader could follow.
 */
export function citationOf(source: {
  title: string
  url: string
  content?: string
  date?: string
}): Citation | undefined {
  const url = normalUrl(source.url)
  if (!url) return undefined
  const title = cutAtWord(visibleLine(source.title.slice(0, 10 * MAX_TITLE_CHARS)), MAX_TITLE_CHARS)
  const content = cutAtWord(visibleLine((source.content ?? '').slice(0, 10 * MAX_SNIPPET_CHARS)), MAX_SNIPPET_CHARS)
  const date = DAY.exec(source.date ?? '')?.[0]
  return {
    title: title || new URL(url).hostname,
    url,
    ...(content === '' ? {} : { content }),
    ...(date === undefined ? {} : { date }),
  }
}
