import type { Citation } from '@/lib/contract/chat.schema'
import type { Annotation } from '@/lib/endpoints/chat/responses/output-item'

const MARK = /\[REF\](\d{1,3})\[\/REF\]/g

/** The citation marks of a text as places with their source; a mark that is not in the list is text. */
export function annotationsOf(text: string, citations: Citation[]): Annotation[] {
  const annotations: Annotation[] = []
  if (citations.length === 0) return annotations
  for (const { 0: mark, 1: number, index } of text.matchAll(MARK)) {
    const source = citations[Number(number)]
    if (!source) continue
    const { url, title } = source
    annotations.push({ type: 'url_citation', url, title, start_index: index, end_index: index + mark.length })
  }
  return annotations
}
