import type { Citation } from '@/lib/contract/chat.schema'
import type { WebSearchStatus } from '@/lib/contract/headers'
import { hex } from '@/lib/contract/ids'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import { costBody, echoOf } from '@/lib/endpoints/chat/render'
import type { AnswerEvent, ChatRun } from '@/lib/endpoints/chat/run'
import type { Receipt } from '@/lib/services/ledger/meter'

type OutputStatus = 'in_progress' | 'completed' | 'incomplete'

type Annotation = { type: 'url_citation'; url: string; title: string; start_index: number; end_index: number }

type ReasoningItem = {
  type: 'reasoning'
  id: string
  summary: { type: 'summary_text'; text: string }[]
  encrypted_content?: string
}
export type SearchItem = {
  type: 'web_search_call'
  id: string
  status: 'in_progress' | 'completed' | 'failed'
  action: { type: 'search'; query: string }
}
type CallItem = {
  type: 'function_call'
  id: string
  call_id: string
  name: string
  arguments: string
  status: OutputStatus
}
export type MessageItem = {
  type: 'message'
  id: string
  status: OutputStatus
  role: 'assistant'
  content: { type: 'output_text'; text: string; annotations: Annotation[] }[]
}

export type OutputItem = ReasoningItem | SearchItem | CallItem | MessageItem

export type OutputChange =
  | { type: 'began'; index: number; item: OutputItem }
  | { type: 'grew'; index: number; item: OutputItem; delta: string }
  | { type: 'ended'; index: number; item: OutputItem }

type Entry<Item extends OutputItem = OutputItem> = { index: number; item: Item }
type CallDelta = Extract<AnswerEvent, { type: 'tool-call-delta' }>

export type OutputOptions = { givesSealedThoughts: boolean }

const ORDER: OutputItem['type'][] = ['reasoning', 'web_search_call', 'function_call', 'message']

/**
 * Builds output items from an answer's events: one item of each kind and one per call, each open until the answer ends,
 * so that interleaved pieces need no second item.
 */
export function createOutput(run: Pick<ChatRun, 'citations' | 'webQuery'>, options: OutputOptions) {
  const items: OutputItem[] = []
  const calls = new Map<number, Entry<CallItem>>()
  let reasoning: Entry<ReasoningItem> | undefined
  let message: Entry<MessageItem> | undefined
  let search: Entry<SearchItem> | undefined
  let last: OutputItem | undefined
  let reason: 'stop' | 'length' | 'tool_calls' | undefined
  let changes: OutputChange[] = []

  function place<Item extends OutputItem>(item: Item): Entry<Item> {
    const index = items.push(item) - 1
    // As it is now: the item itself goes on growing.
    changes.push({ type: 'began', index, item: structuredClone(item) })
    return { index, item }
  }

  function grow({ index, item }: Entry, delta: string): void {
    last = item
    if (delta !== '') changes.push({ type: 'grew', index, item, delta })
  }

  function takeSearch(status: WebSearchStatus): void {
    if (search || status === 'not_needed') return
    search = place<SearchItem>({
      type: 'web_search_call',
      id: `ws_${hex(12)}`,
      status: 'in_progress',
      action: { type: 'search', query: run.webQuery ?? '' },
    })
    const { index, item } = search
    // It is over when it is told of.
    item.status = status === 'failed' ? 'failed' : 'completed'
    changes.push({ type: 'ended', index, item })
  }

  function think(): Entry<ReasoningItem> {
    reasoning ??= place<ReasoningItem>({ type: 'reasoning', id: `rs_${hex(12)}`, summary: [] })
    return reasoning
  }

  function takeThought(text: string): void {
    if (text === '') return
    const entry = think()
    const { item } = entry
    item.summary = [{ type: 'summary_text', text: (item.summary[0]?.text ?? '') + text }]
    grow(entry, text)
  }

  function takeDetails(details: Record<string, unknown>[]): void {
    const sealed = details.findLast(({ type }) => type === 'reasoning.encrypted')?.data
    if (!options.givesSealedThoughts || typeof sealed !== 'string' || sealed === '') return
    think().item.encrypted_content = sealed
  }

  function takeText(text: string): void {
    if (text === '') return
    message ??= place<MessageItem>({
      type: 'message',
      id: `msg_${hex(12)}`,
      status: 'in_progress',
      role: 'assistant',
      content: [],
    })
    const { item } = message
    item.content = [{ type: 'output_text', text: (item.content[0]?.text ?? '') + text, annotations: [] }]
    grow(message, text)
  }

  function takeCall(event: CallDelta): void {
    const entry =
      calls.get(event.index) ??
      place<CallItem>({
        type: 'function_call',
        id: `fc_${hex(12)}`,
        call_id: event.id || `call_${hex(12)}`,
        name: event.name ?? '',
        arguments: '',
        status: 'in_progress',
      })
    calls.set(event.index, entry)
    entry.item.arguments += event.arguments
    grow(entry, event.arguments)
  }

  function takeEvent(event: AnswerEvent): void {
    if (event.type === 'search-results') takeSearch(event.status)
    else if (event.type === 'sources') {
      if (event.results > 0 || event.sources.length > 0) takeSearch('found')
    } else if (event.type === 'usage' || event.type === 'route' || event.type === 'prompt-logprobs') return
    // Nothing of an answer comes after its end, and there is one answer.
    else if (event.choice !== 0 || reason) return
    else if (event.type === 'reasoning-delta') takeThought(event.text)
    else if (event.type === 'reasoning-details') takeDetails(event.details)
    else if (event.type === 'text-delta') takeText(event.text)
    else if (event.type === 'tool-call-delta') takeCall(event)
    else reason = event.reason
  }

  function close(item: OutputItem, status: OutputStatus): void {
    if (item.type === 'function_call' || item.type === 'message') item.status = status
    const part = item.type === 'message' ? item.content[0] : undefined
    if (part) part.annotations = annotationsOf(part.text, run.citations)
  }

  return {
    items,
    take(event: AnswerEvent): OutputChange[] {
      changes = []
      takeEvent(event)
      return changes
    },
    end(): OutputChange[] {
      changes = []
      for (const [index, item] of items.entries()) {
        close(item, reason === 'length' && item === last ? 'incomplete' : 'completed')
        if (item !== search?.item) changes.push({ type: 'ended', index, item })
      }
      return changes
    },
    abandon(): void {
      for (const item of items) close(item, 'incomplete')
    },
    isCut(): boolean {
      return reason === 'length'
    },
  }
}

export function inOrder(items: OutputItem[]): OutputItem[] {
  return items.toSorted((left, right) => ORDER.indexOf(left.type) - ORDER.indexOf(right.type))
}

const MARK = /\[REF\](\d{1,3})\[\/REF\]/g

function annotationsOf(text: string, citations: Citation[]): Annotation[] {
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

type Head = Pick<ChatWork, 'id' | 'created'>
type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed'

export function responseBody(
  run: ChatRun,
  work: ChatWork,
  { isCut, items }: { isCut: boolean; items: OutputItem[] },
  receipt: Receipt | undefined,
) {
  return {
    ...responseHead(run, work, isCut ? 'incomplete' : 'completed', items),
    ...(isCut ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
    usage: responseUsage(run),
    ...(receipt ? { cost: costBody(receipt) } : {}),
    service_parameters: { ...echoOf(run, work), ...(run.webStatus ? { web_search_status: run.webStatus } : {}) },
  }
}

export function failedResponse(
  run: ChatRun,
  work: Head,
  items: OutputItem[],
  error: { code: string; message: string },
) {
  return { ...responseHead(run, work, 'failed', items), usage: responseUsage(run), error }
}

export function responseHead({ model }: ChatRun, { id, created }: Head, status: Status, output: OutputItem[]) {
  return { id, object: 'response', created_at: created, model: model.id, status, output }
}

function responseUsage({ counter }: ChatRun) {
  const usage = counter.usage()
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}
