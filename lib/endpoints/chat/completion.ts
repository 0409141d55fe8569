import type { ServiceParametersEcho, UsageBody } from '@/lib/contract/chat.schema'
import { hex } from '@/lib/contract/ids'
import { usdNumber } from '@/lib/contract/money'
import type { ChatWork } from '@/lib/endpoints/chat/quote'
import type { AnswerEvent, ChatRun } from '@/lib/endpoints/chat/run'
import type { ChatEvent, TokenLogprob, TokenUsage, ToolCall } from '@/lib/services/engines/engine'
import type { Receipt } from '@/lib/services/ledger/meter'

type Choice = {
  text: string
  reasoning: string
  details: Record<string, unknown>[]
  calls: Map<number, ToolCall>
  logprobs: TokenLogprob[]
  reason?: 'stop' | 'length' | 'tool_calls'
}

/** The body of an answer that is sent whole: the stream's events, collected. Contract, chat.md 8. */
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

/** What took effect, what was found, and who helped. */
export function echoOf({ citations, assists }: ChatRun, { options }: ChatWork): ServiceParametersEcho {
  return { ...options.echo, web_search_citations: citations, ...(assists.length > 0 ? { assists } : {}) }
}

/** `usage` in wire form. Reasoning is inside the completion, cached tokens are inside the prompt. */
export function usageBody(usage: TokenUsage): UsageBody {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, cache_creation_input_tokens: usage.cacheWriteTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}

/** `cost` in wire form: one of the two is zero. */
export function costBody(receipt: Receipt): { diem: number; usd: number } {
  return { diem: usdNumber(receipt.diem), usd: usdNumber(receipt.usd) }
}

/** The seed's fields for the first token, and `content` with all of them for common clients. Contract, README 16 #9. */
export function logprobsBody(tokens: TokenLogprob[]) {
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

/** `tool_calls` whenever the message carries calls; a cut by length stays one. Contract, chat.md 5.1. */
export function finishReason(
  reason: 'stop' | 'length' | 'tool_calls',
  hasCalls: boolean,
): 'stop' | 'length' | 'tool_calls' {
  return reason === 'length' ? 'length' : hasCalls ? 'tool_calls' : 'stop'
}
