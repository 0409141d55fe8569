import type { ServiceParametersEcho, WebSearchStatus } from '@/lib/contract/chat.schema'
import { hex } from '@/lib/contract/ids'
import { costBody, finishReason, logprobsBody, usageBody } from '@/lib/endpoints/chat/completion'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { AnswerEvent } from '@/lib/endpoints/chat/run'
import { sseFrame } from '@/lib/kernel/sse'
import type { ChatEvent, TokenUsage } from '@/lib/services/engines/engine'
import type { Receipt } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'

type ChoiceState = { hasCalls: boolean; hasEnded: boolean; tools: Set<number> }

/**
 * Writes the chunks of one streamed answer (contract, chat.md 9). What all chunks share is printed once; a delta is then
 * one JSON string between two constant pieces.
 */
export function createChunkWriter(work: ChatWork, model: () => Model) {
  const choices = new Map<number, ChoiceState>()
  let head = ''

  /** Printed late: until the first event a fallback may still become the model that serves. */
  function headOf(): string {
    head ||= `{"id":${JSON.stringify(work.id)},"object":"chat.completion.chunk","created":${work.created},"model":${JSON.stringify(model().id)},"choices":[`
    return head
  }

  function chunk(choice: number, delta: string, finish = 'null', logprobs = 'null'): string {
    return sseFrame(
      `${headOf()}{"index":${choice},"delta":${delta},"finish_reason":${finish},"logprobs":${logprobs}}]}`,
    )
  }

  /** The state of a choice, and its role chunk when it is new. */
  function open(choice: number): [state: ChoiceState, prefix: string] {
    const known = choices.get(choice)
    if (known) return [known, '']
    const state = { hasCalls: false, hasEnded: false, tools: new Set<number>() }
    choices.set(choice, state)
    return [state, chunk(choice, '{"role":"assistant","content":""}')]
  }

  function toolDelta(state: ChoiceState, event: Extract<ChatEvent, { type: 'tool-call-delta' }>): string {
    const isFirst = !state.tools.has(event.index)
    state.tools.add(event.index)
    state.hasCalls = true
    const text = JSON.stringify(event.arguments)
    const begin = isFirst ? `"id":${JSON.stringify(event.id ?? `call_${hex(12)}`)},"type":"function",` : ''
    const name = isFirst ? `"name":${JSON.stringify(event.name ?? '')},` : ''
    return `{"tool_calls":[{"index":${event.index},${begin}"function":{${name}"arguments":${text}}}]}`
  }

  /** What was found comes first, and only where it was asked for. */
  function writeResults({ status, citations }: Extract<AnswerEvent, { type: 'search-results' }>): string {
    if (!work.options.echo.include_search_results_in_stream) return ''
    const found = { web_search_status: status, web_search_citations: citations }
    return sseFrame(`${headOf()}],"service_parameters":${JSON.stringify(found)}}`)
  }

  function writeEvent(event: AnswerEvent): string {
    if (event.type === 'search-results') return writeResults(event)
    if (event.type === 'usage' || event.type === 'route' || event.type === 'sources') return ''
    if (event.type === 'prompt-logprobs') return ''
    const [state, prefix] = open(event.choice)
    if (state.hasEnded) return prefix
    switch (event.type) {
      case 'text-delta': {
        const logprobs = event.logprobs ? JSON.stringify(logprobsBody(event.logprobs)) : undefined
        return prefix + chunk(event.choice, `{"content":${JSON.stringify(event.text)}}`, 'null', logprobs)
      }
      case 'reasoning-delta':
        return prefix + chunk(event.choice, `{"reasoning_content":${JSON.stringify(event.text)}}`)
      case 'reasoning-details':
        return prefix + chunk(event.choice, `{"reasoning_details":${JSON.stringify(event.details)}}`)
      case 'tool-call-delta':
        return prefix + chunk(event.choice, toolDelta(state, event))
      case 'choice-end':
        state.hasEnded = true
        return prefix + chunk(event.choice, '{}', JSON.stringify(finishReason(event.reason, state.hasCalls)))
    }
  }

  return {
    /** The chunks of a batch of events as one piece of text. */
    write(events: AnswerEvent[]): string {
      let text = ''
      for (const event of events) text += writeEvent(event)
      return text
    },
    /** The last chunk before the end: tokens, their cost, the models that read for this one, and how the web step ended. */
    usage(
      usage: TokenUsage,
      receipt: Receipt | undefined,
      { assists = [], webStatus }: { assists?: ServiceParametersEcho['assists']; webStatus?: WebSearchStatus } = {},
    ): string {
      const cost = receipt ? `,"cost":${JSON.stringify(costBody(receipt))}` : ''
      const parameters = {
        ...(assists.length > 0 ? { assists } : {}),
        ...(webStatus ? { web_search_status: webStatus } : {}),
      }
      const also = assists.length > 0 || webStatus ? `,"service_parameters":${JSON.stringify(parameters)}` : ''
      return sseFrame(`${headOf()}],"usage":${JSON.stringify(usageBody(usage))}${cost}${also}}`)
    },
  }
}
