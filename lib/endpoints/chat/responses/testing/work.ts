import type { Citation } from '@/lib/contract/chat.schema'
import { nano } from '@/lib/contract/money'
import type { ResponseWork } from '@/lib/endpoints/chat/responses/quote'
import { createEventWriter } from '@/lib/endpoints/chat/responses/render'
import type { AnswerEvent, ChatRun } from '@/lib/endpoints/chat/run'

export const CITATIONS: Citation[] = [
  { title: 'Tides', url: 'https://tides.example/' },
  { title: 'Moon', url: 'https://moon.example/', date: '2026-01-02' },
]
export const USAGE = { inputTokens: 9, cachedTokens: 4, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 2 }
export const RECEIPT = { usd: nano(6_600n), diem: nano(0n) }

export function runOf(citations: Citation[] = []): ChatRun {
  return {
    model: { id: 'atlas' },
    counter: { usage: () => USAGE },
    citations,
    webQuery: 'tides',
    assists: [],
  } as unknown as ChatRun
}

export function workOf(more: { givesSealedThoughts?: boolean; showsResults?: boolean } = {}): ResponseWork {
  const echo = { include_search_results_in_stream: more.showsResults ?? false }
  const work = { id: 'resp_1', created: 7, options: { echo }, givesSealedThoughts: more.givesSealedThoughts ?? false }
  return work as unknown as ResponseWork
}

export function streamOf(events: AnswerEvent[], run = runOf(), work = workOf()): string {
  const writer = createEventWriter(run, work)
  return writer.write(events) + writer.end(RECEIPT)
}

export const text = (piece: string): AnswerEvent => ({ type: 'text-delta', choice: 0, text: piece })
export const thought = (piece: string): AnswerEvent => ({ type: 'reasoning-delta', choice: 0, text: piece })
export const ends = (reason: 'stop' | 'length' | 'tool_calls' = 'stop'): AnswerEvent => ({
  type: 'choice-end',
  choice: 0,
  reason,
})
export const call = (index: number, piece: string, id?: string, name?: string): AnswerEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  index,
  id,
  name,
  arguments: piece,
})
export const found = (citations = CITATIONS): AnswerEvent => ({ type: 'search-results', status: 'found', citations })
