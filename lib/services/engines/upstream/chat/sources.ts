import 'server-only'
import type { ChatEvent } from '@/lib/services/engines/engine'
import { isWireObject, textOf, type WireObject } from '@/lib/services/engines/upstream/chat/wire-value'
import { cleanText } from '@/lib/services/engines/upstream/clean-text'

const MAX_SOURCES = 50
const MAX_URL_CHARACTERS = 2_048
const MAX_TITLE_CHARACTERS = 300
/** Entries that are looked at in one chunk, whatever it holds. */
const MAX_LOOKED_AT = 500

/**
 * What a vendor's own search found, gathered over the chunks of a reply: addresses of the web only, each once, bounded
 * in number and length. A vendor's words are no more than that: nothing else of them is kept.
 */
export class Sources {
  readonly #maxResults: number
  readonly #byUrl = new Map<string, string>()
  #results?: number

  constructor(maxResults: number) {
    this.#maxResults = maxResults
  }

  /** Takes one object of the reply: `citations` (addresses or objects), `search_results`, and what it counted. */
  take(chunk: WireObject): void {
    for (const list of [chunk.search_results, chunk.citations]) this.#takeList(list)
    if (!isWireObject(chunk.usage)) return
    const used = chunk.usage.num_sources_used ?? chunk.usage.num_search_queries
    if (typeof used === 'number' && Number.isInteger(used) && used >= 0) this.#results = used
  }

  /** Takes the `annotations` of a delta or a message. */
  takeAnnotations(value: unknown): void {
    if (Array.isArray(value)) this.#takeList(value.map((one) => (isWireObject(one) ? (one.url_citation ?? one) : one)))
  }

  /** All of it as one event; nothing when the vendor searched for nothing. */
  event(): Extract<ChatEvent, { type: 'sources' }> | undefined {
    const sources = [...this.#byUrl].map(([url, title]) => ({ title, url }))
    const results = Math.min(this.#results ?? sources.length, this.#maxResults)
    return sources.length === 0 && results === 0 ? undefined : { type: 'sources', sources, results }
  }

  #takeList(value: unknown): void {
    if (!Array.isArray(value)) return
    for (const entry of value.slice(0, MAX_LOOKED_AT)) {
      const fields: WireObject = isWireObject(entry) ? entry : { url: entry }
      const url = webAddress(textOf(fields.url) ?? textOf(fields.uri) ?? textOf(fields.link))
      if (url === undefined || (this.#byUrl.size >= MAX_SOURCES && !this.#byUrl.has(url.href))) continue
      const title = cleanText(textOf(fields.title) ?? '', MAX_TITLE_CHARACTERS)
      const known = this.#byUrl.get(url.href)
      // An address alone, or a number for a title, is what the first of several mentions often has.
      if (known === undefined || (known === url.hostname && title !== '')) {
        this.#byUrl.set(url.href, title === '' || /^\d+$/.test(title) ? url.hostname : title)
      }
    }
  }
}

function webAddress(text: string | undefined): URL | undefined {
  if (text === undefined || text.length > MAX_URL_CHARACTERS) return undefined
  const url = URL.parse(text)
  const isWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
  return isWeb && url.username === '' && url.password === '' && url.href.length <= MAX_URL_CHARACTERS ? url : undefined
}
