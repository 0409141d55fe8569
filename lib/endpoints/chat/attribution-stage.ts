import 'server-only'
import { attribute } from '@/lib/endpoints/chat/attribution'
import type { ChatRun } from '@/lib/endpoints/chat/run'
import type { ChatEvent } from '@/lib/services/engines/engine'

/** What of an answer is compared with the sources: more would say nothing new. */
const MAX_CHARS = 8_000

/**
 * Adds the sources to an answer whose model was asked to cite and did not: those that it visibly follows, at its end. Small
 * models seldom write the marks.
 */
export function createAttribution(run: ChatRun) {
  const texts = new Map<number, string>()

  async function marksFor(choice: number): Promise<string> {
    const said = texts.get(choice) ?? ''
    if (!run.findings || said.trim() === '' || said.includes('[REF]')) return ''
    const sources = await attribute(said, run.findings.passages, run.signal)
    return sources.map((index) => ` [REF]${index}[/REF]`).join('')
  }

  return async (events: ChatEvent[]): Promise<ChatEvent[]> => {
    const out: ChatEvent[] = []
    for (const event of events) {
      if (event.type === 'text-delta') {
        texts.set(event.choice, ((texts.get(event.choice) ?? '') + event.text).slice(0, MAX_CHARS))
      }
      if (event.type === 'choice-end' && event.reason !== 'tool_calls') {
        const text = await marksFor(event.choice)
        if (text !== '') out.push({ type: 'text-delta', choice: event.choice, text })
      }
      out.push(event)
    }
    return out
  }
}
