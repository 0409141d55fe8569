import type { OutputItem } from '@/lib/endpoints/chat/responses/output'
import type { createEventWriter } from '@/lib/endpoints/chat/responses/render'

export type EventWriter = ReturnType<typeof createEventWriter>

type Part = { type: string; text: string; annotations: unknown[] }

export type ReadEvent = {
  type: string
  sequence_number: number
  output_index: number
  item_id: string
  content_index: number
  delta: string
  text: string
  name: string
  arguments: string
  results?: unknown[]
  item: OutputItem
  part: Part
  response: {
    id: string
    status: string
    output: OutputItem[]
    error?: { code: string; message: string }
    incomplete_details?: { reason: string }
    [field: string]: unknown
  }
}

export function readEvents(stream: string): ReadEvent[] {
  return stream
    .split('\n\n')
    .filter((frame) => frame !== '' && frame !== 'data: [DONE]' && !frame.startsWith(':'))
    .map((frame) => {
      const { type, data } = /^event: (?<type>[a-z_.]+)\ndata: (?<data>[^\r\n]+)$/.exec(frame)?.groups ?? {}
      const event = JSON.parse(data ?? '') as ReadEvent
      if (event.type !== type) throw new Error(`the event line says ${type}, its data ${event.type}`)
      return event
    })
}

export function addUp(events: ReadEvent[]): OutputItem[] {
  const items: OutputItem[] = []
  const ended = new Set<number>()
  for (const event of events) {
    if (event.output_index === undefined) continue
    const item = items[event.output_index]
    if (event.type === 'response.output_item.added') {
      if (event.output_index !== items.length) throw new Error('an item is not the next one')
      items.push(event.item)
      continue
    }
    if (!item || ended.has(event.output_index)) throw new Error(`${event.type} of an item that is not there`)
    if (event.item_id !== undefined && event.item_id !== item.id) throw new Error('an item has another id')
    if (event.type === 'response.output_item.done') {
      ended.add(event.output_index)
      closeAs(item, event.item)
    } else addPiece(item, event)
  }
  return items
}

function addPiece(item: OutputItem, event: ReadEvent): void {
  if (item.type === 'message') {
    const part = item.content[event.content_index]
    if (event.type === 'response.content_part.added') item.content.push(event.part as (typeof item.content)[0])
    else if (event.type === 'response.output_text.delta') part!.text += event.delta
  } else if (item.type === 'function_call' && event.type === 'response.function_call_arguments.delta') {
    item.arguments += event.delta
  } else if (item.type === 'reasoning') {
    if (event.type === 'response.reasoning_summary_part.added') item.summary.push({ type: 'summary_text', text: '' })
    else if (event.type === 'response.reasoning_summary_text.delta') item.summary[0]!.text += event.delta
  }
}

function closeAs(item: OutputItem, end: OutputItem): void {
  if (item.id !== end.id) throw new Error('an item ends with another id')
  if ('status' in item && 'status' in end) item.status = end.status
  if (item.type === 'message' && end.type === 'message') {
    const part = item.content[0]
    if (part) part.annotations = end.content[0]?.annotations ?? []
  }
  if (item.type === 'reasoning' && end.type === 'reasoning' && end.encrypted_content) {
    item.encrypted_content = end.encrypted_content
  }
}
