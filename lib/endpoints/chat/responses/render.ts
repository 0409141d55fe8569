import 'server-only'
import { deliver, guardDone, SSE_DONE } from '@/lib/endpoints/chat/render'
import { inCallersTerms } from '@/lib/endpoints/chat/responses/conversation'
import {
  createOutput,
  failedResponse,
  inOrder,
  type OutputChange,
  type OutputItem,
  responseBody,
  responseHead,
  type SearchItem,
} from '@/lib/endpoints/chat/responses/output'
import type { ResponseWork } from '@/lib/endpoints/chat/responses/quote'
import { type AnswerEvent, type ChatRun, runChat } from '@/lib/endpoints/chat/run'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Reply } from '@/lib/pipeline/reply'
import type { Meter, Receipt } from '@/lib/services/ledger/meter'

export function renderResponse(
  run: ChatRun,
  work: ResponseWork,
  meter: Meter,
  context: RequestContext,
): Promise<Reply> {
  return deliver(run, work, meter, context, {
    whole(events, receipt) {
      const output = createOutput(run, work)
      for (const event of events) output.take(event)
      output.end()
      return responseBody(run, work, { isCut: output.isCut(), items: inOrder(output.items) }, receipt)
    },
    stream() {
      const events = createEventWriter(run, work)
      return {
        write: events.write,
        end: (receipt) => events.end(receipt) + SSE_DONE,
        fail: (error) => events.fail(error) + SSE_DONE,
      }
    },
  })
}

export function runResponse(work: ResponseWork, meter: Meter, context: RequestContext, signal: AbortSignal): ChatRun {
  const run = runChat(work, meter, context, signal)
  run.batches = inTermsOf(run.batches, work)
  return run
}

async function* inTermsOf(batches: ChatRun['batches'], { places }: ResponseWork): AsyncGenerator<AnswerEvent[]> {
  try {
    yield* batches
  } catch (error) {
    throw inCallersTerms(error, places)
  }
}

const MESSAGE_PART = { content_index: 0 }
const SUMMARY_PART = { summary_index: 0 }
const EMPTY_PART = { type: 'output_text', text: '', annotations: [] }

/**
 * Writes typed events (API contract, chat.md "POST /responses") with a rising `sequence_number`. Items grow as the
 * answer does and are completed when it ends; names and shapes are those that stock clients accept.
 */
export function createEventWriter(run: ChatRun, work: ResponseWork) {
  const output = createOutput(run, work)
  let sequence = 0
  let hasBegunThoughts = false

  function event(type: string, fields: object): string {
    const json = JSON.stringify({ type, sequence_number: sequence++, ...fields })
    return `event: ${type}\ndata: ${guardDone(json)}\n\n`
  }

  function begin(): string {
    if (sequence > 0) return ''
    const response = responseHead(run, work, 'in_progress', [])
    return event('response.created', { response }) + event('response.in_progress', { response })
  }

  function written(change: OutputChange): string {
    const { index, item } = change
    const place = { output_index: index, item_id: item.id }
    switch (change.type) {
      case 'began': {
        const began = event('response.output_item.added', { output_index: index, item })
        if (item.type !== 'message') return began
        return began + event('response.content_part.added', { ...place, ...MESSAGE_PART, part: EMPTY_PART })
      }
      case 'grew':
        return (item.type === 'reasoning' ? beginThoughts(place) : '') + event(...deltaOf(item, place, change.delta))
      case 'ended':
        return ended(item, place) + event('response.output_item.done', { output_index: index, item })
    }
  }

  function results(): object {
    return work.options.echo.include_search_results_in_stream ? { results: run.citations } : {}
  }

  function beginThoughts(place: object): string {
    if (hasBegunThoughts) return ''
    hasBegunThoughts = true
    const part = { type: 'summary_text', text: '' }
    return event('response.reasoning_summary_part.added', { ...place, ...SUMMARY_PART, part })
  }

  function searched({ status }: SearchItem, place: object): string {
    const steps =
      event('response.web_search_call.in_progress', place) + event('response.web_search_call.searching', place)
    return status === 'failed' ? steps : steps + event('response.web_search_call.completed', { ...place, ...results() })
  }

  function ended(item: OutputItem, place: object): string {
    if (item.type === 'web_search_call') return searched(item, place)
    const [thoughts] = item.type === 'reasoning' ? item.summary : []
    if (thoughts) {
      return (
        event('response.reasoning_summary_text.done', { ...place, ...SUMMARY_PART, text: thoughts.text }) +
        event('response.reasoning_summary_part.done', { ...place, ...SUMMARY_PART, part: thoughts })
      )
    }
    // Of a call that was cut off, nobody should take the arguments for whole.
    if (item.type === 'function_call' && item.status === 'completed') {
      return event('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments })
    }
    const part = item.type === 'message' ? item.content[0] : undefined
    if (!part) return ''
    return (
      event('response.output_text.done', { ...place, ...MESSAGE_PART, text: part.text }) +
      event('response.content_part.done', { ...place, ...MESSAGE_PART, part })
    )
  }

  const writtenAll = (changes: OutputChange[]): string => changes.map(written).join('')

  return {
    write(events: AnswerEvent[]): string {
      let text = begin()
      for (const one of events) text += writtenAll(output.take(one))
      return text
    },
    end(receipt: Receipt | undefined): string {
      const rest = begin() + writtenAll(output.end())
      const response = responseBody(run, work, { isCut: output.isCut(), items: output.items }, receipt)
      return rest + event(`response.${response.status}`, { response })
    },
    fail({ code, message }: { code: string; message: string }): string {
      output.abandon()
      return (
        begin() + event('response.failed', { response: failedResponse(run, work, output.items, { code, message }) })
      )
    },
  }
}

function deltaOf({ type }: OutputItem, place: object, delta: string): [type: string, fields: object] {
  if (type === 'message') return ['response.output_text.delta', { ...place, ...MESSAGE_PART, delta }]
  if (type === 'reasoning') return ['response.reasoning_summary_text.delta', { ...place, ...SUMMARY_PART, delta }]
  return ['response.function_call_arguments.delta', { ...place, delta }]
}
