import type { ServiceParametersEcho, UsageBody } from '@/lib/contract/chat.schema'
import type { WebSearchStatus } from '@/lib/contract/headers'
import { hex } from '@/lib/contract/ids'
import { usdNumber } from '@/lib/contract/money'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { AnswerEvent, ChatRun } from '@/lib/endpoints/chat/run'
import { sseFrame } from '@/lib/kernel/sse'
import type { ChatEvent, TokenLogprob, TokenUsage, ToolCall } from '@/lib/services/engines/engine'
import type { Receipt } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'

type Choice = {
  text: string
  reasoning: string
  details: Record<string, unknown>[]
  calls: Map<number, ToolCall>
  logprobs: TokenLogprob[]
  reason?: 'stop' | 'length' | 'tool_calls'
}

export function renderCompletion(events: AnswerEvent[], run: ChatRun, work: ChatWork, receipt: Receipt | undefined) {
  const choices = Array.from({ length: work.request.n }, emptyChoice)
  let promptLogprobs: unknown[] | null = null
  for (const event of events) {
    if (event.type === 'search-results' || event.type === 'usage') continue
    if (event.type === 'route' || event.type === 'sources') continue
    if (event.type === 'prompt-logprobs') {
      promptLogprobs = event.logprobs
      continue
    }
    const choice = choices[event.choice]
    if (choice) collect(choice, event)
  }
  return {
    id: work.id,
    object: 'chat.completion',
    created: work.created,
    model: run.model.id,
    choices: choices.map(choiceBody),
    usage: usageBody(run.counter.usage()),
    ...(work.request.promptLogprobs ? { prompt_logprobs: promptLogprobs } : {}),
    ...(receipt ? { cost: costBody(receipt) } : {}),
    service_parameters: echoOf(run, work),
  }
}

export function echoOf({ citations, assists }: ChatRun, { options }: ChatWork): ServiceParametersEcho {
  return { ...options.echo, web_search_citations: citations, ...(assists.length > 0 ? { assists } : {}) }
}

function usageBody(usage: TokenUsage): UsageBody {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, cache_creation_input_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}

export function costBody(receipt: Receipt): { diem: number; usd: number } {
  return { diem: usdNumber(receipt.diem), usd: usdNumber(receipt.usd) }
}

/**
 * The seed's fields for the first token, and `content` with all of them for common clients. Source: API contract,
 * README 16 #9.
 */
function logprobsBody(tokens: TokenLogprob[]) {
  return tokens.length === 0 ? null : { ...tokens[0], content: tokens }
}

function emptyChoice(): Choice {
  return { text: '', reasoning: '', details: [], calls: new Map(), logprobs: [] }
}

function collect(
  choice: Choice,
  event: Exclude<ChatEvent, { type: 'usage' | 'route' | 'sources' | 'prompt-logprobs' }>,
): void {
  switch (event.type) {
    case 'text-delta':
      choice.text += event.text
      if (event.logprobs) choice.logprobs.push(...event.logprobs)
      break
    case 'reasoning-delta':
      choice.reasoning += event.text
      break
    case 'reasoning-details':
      choice.details.push(...event.details)
      break
    case 'tool-call-delta':
      collectCall(choice, event)
      break
    case 'choice-end':
      // The first end counts: one whose credit ran out later had ended before.
      choice.reason ??= event.reason
      break
  }
}

function collectCall(choice: Choice, event: Extract<ChatEvent, { type: 'tool-call-delta' }>): void {
  const call = choice.calls.get(event.index)
  if (call) {
    call.function.arguments += event.arguments
    return
  }
  const id = event.id ?? `call_${hex(12)}`
  choice.calls.set(event.index, {
    id,
    type: 'function',
    function: { name: event.name ?? '', arguments: event.arguments },
  })
}

function choiceBody(choice: Choice, index: number) {
  const reason = finishReason(choice.reason ?? 'stop', choice.calls.size > 0)
  return {
    index,
    finish_reason: reason,
    stop_reason: reason === 'length' ? 'length' : 'stop',
    logprobs: logprobsBody(choice.logprobs),
    message: {
      role: 'assistant',
      content: choice.text === '' && choice.calls.size > 0 ? null : choice.text,
      reasoning_content: choice.reasoning === '' ? null : choice.reasoning,
      ...(choice.details.length > 0 ? { reasoning_details: choice.details } : {}),
      ...(choice.calls.size > 0 ? { tool_calls: [...choice.calls.values()] } : {}),
    },
  }
}

/** `tool_calls` whenever the message carries calls, unless it was cut by length. Source: API contract, chat.md 5.1. */
function finishReason(reason: 'stop' | 'length' | 'tool_calls', hasCalls: boolean): 'stop' | 'length' | 'tool_calls' {
  return reason === 'length' ? 'length' : hasCalls ? 'tool_calls' : 'stop'
}

type ChoiceState = { hasCalls: boolean; hasEnded: boolean; tools: Set<number> }

/**
 * Writes the chunks of a streamed answer (API contract, chat.md 9). The shared part is printed once; a delta is one
 * JSON string between two constants.
 */
export function createChunkWriter(work: ChatWork, model: () => Model) {
  const choices = new Map<number, ChoiceState>()
  let head = ''

  /** Printed at the first event: until then a fallback may become the model that serves. */
  function headOf(): string {
    head ||= `{"id":${JSON.stringify(work.id)},"object":"chat.completion.chunk","created":${work.created},"model":${JSON.stringify(model().id)},"choices":[`
    return head
  }

  function chunk(choice: number, delta: string, finish = 'null', logprobs = 'null'): string {
    return sseFrame(
      `${headOf()}{"index":${choice},"delta":${delta},"finish_reason":${finish},"logprobs":${logprobs}}]}`,
    )
  }

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
    write(events: AnswerEvent[]): string {
      let text = ''
      for (const event of events) text += writeEvent(event)
      return text
    },
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
