import 'server-only'
import { z } from 'zod'
import { type FoundPage, SearchUnavailable } from '@/lib/services/web/provider'

/** Entries of a reply that are looked at, well-formed or not. */
const MAX_ENTRIES = 100

const text = z.string().nullish()

/** One entry of a JSON reply: an address, and whatever else a provider knows under these names. */
const Entry = z.object({ url: z.string(), title: text, content: text, description: text })

/**
 * The well-formed entries of a list; the others are passed over.
 *
 * @throws SearchUnavailable when there is no list at all.
 */
export function pagesOf(list: unknown, dateField: string): FoundPage[] {
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
