import type { Citation } from '@/lib/contract/chat.schema'
import { hex } from '@/lib/contract/ids'
import type { ChatEvent } from '@/lib/services/engines/engine'

/** What was found as a tool call of the service's own, the first of a choice. Contract, chat.md 5.2. */
export function documentEvents(citations: Citation[], choice: number): ChatEvent {
  const documents = citations.map(({ title, url, content, date }, index) => ({
    id: String(index),
    title,
    url,
    snippet: content ?? '',
    published_at: date ?? null,
  }))
  return {
    type: 'tool-call-delta',
    choice,
    index: 0,
    id: `call_${hex(12)}`,
    name: 'service_web_search_documents',
    arguments: JSON.stringify({ documents }),
  }
}

/** The engine's own calls come after the documents. */
export function shiftToolCalls(event: ChatEvent): ChatEvent[] {
  return event.type === 'tool-call-delta' ? [{ ...event, index: event.index + 1 }] : [event]
}
