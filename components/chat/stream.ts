import { EventSourceParserStream } from 'eventsource-parser/stream'
import { API_ROOT, asReply, knownCode, type Loose, postJson, text } from '@/lib/browser/api'
import type { ChatBody } from '@/lib/browser/chat-request'
import type { SearchOutcome, Step, TokenCount } from '@/lib/browser/storage/records'
import { chunksOf } from '@/lib/browser/streams'
import type { ChatChunk, Citation, StreamError, UsageBody } from '@/lib/contract/chat.schema'
import type { ErrorCode } from '@/lib/contract/errors'
import { REQUEST_ID_HEADER, REQUEST_NAME_HEADER } from '@/lib/contract/headers'
import { t } from '@/lib/i18n/t'

/** The service sends a comment every 15 seconds. */
const SILENCE_TIMEOUT_MS = 60_000
const MAX_EVENT_CHARS = 4 * 1024 * 1024

const MAX_CITATIONS = 500
const MAX_STEPS = 100

type Assist = Extract<Step, { type: 'assist' }>

export type AnswerEvent =
  | { type: 'accepted'; requestId?: string; deprecation?: string; balanceUsd?: number }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'text-delta'; text: string }
  | { type: 'citations'; citations: Citation[] }
  | { type: 'search'; outcome: SearchOutcome }
  | { type: 'assists'; assists: Assist[]; costUsd?: number }
  /** `name` comes with the first piece of a call, `input` grows. */
  | { type: 'tool-call-delta'; index: number; name?: string; input: string }
  | { type: 'choice-end'; reason: string }
  | { type: 'usage'; model: string; tokens: TokenCount; costUsd?: number }
  | { type: 'error'; code: ErrorCode; message: string; retryAfterSeconds?: number }
  | { type: 'end' }

/**
 * Sends a chat request and yields its events; `name` identifies the request in the ledger. Ends after `end`, or without
 * it when the connection broke off. @throws ApiError when the service refuses; TypeError or DOMException when it cannot
 * be reached or falls silent.
 */
export async function* streamAnswer(
  question: ChatBody,
  signal: AbortSignal,
  name?: string,
): AsyncGenerator<AnswerEvent> {
  const silence = new AbortController()
  const body = { ...question, stream: true, stream_options: { include_usage: true } }
  const path = `${API_ROOT}/chat/completions`
  const headers: Record<string, string> = name ? { [REQUEST_NAME_HEADER]: name } : {}
  const response = await postJson(path, body, AbortSignal.any([signal, silence.signal]), headers)
  yield parseHeaders(response.headers)
  if (!response.body) return

  const fallSilent = () => silence.abort(new DOMException('The stream fell silent.', 'TimeoutError'))
  let timer = setTimeout(fallSilent, SILENCE_TIMEOUT_MS)
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      clearTimeout(timer)
      timer = setTimeout(fallSilent, SILENCE_TIMEOUT_MS)
      controller.enqueue(bytes)
    },
  })
  const frames = response.body
    .pipeThrough(heard)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_EVENT_CHARS }))
  try {
    for await (const frame of chunksOf(frames)) {
      for (const event of eventsOf(frame.data)) yield event
      if (frame.data === '[DONE]') return
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the events of one frame; none from a frame that cannot be read. Source: API contract, chat.md 9. */
export function eventsOf(data: string): AnswerEvent[] {
  if (data === '[DONE]') return [{ type: 'end' }]
  const frame = asReply<ChatChunk & Partial<StreamError>>(parse(data))
  if (frame.error) {
    const retryAfterSeconds = number(frame.error.retry_after)
    return [
      {
        type: 'error',
        code: knownCode(frame.error.code, 500),
        message: text(frame.error.message) ?? t('The model stopped with an error.'),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      },
    ]
  }
  const events = parseServiceParameters(frame.service_parameters)
  const choice = frame.choices?.[0]
  if (choice) {
    const delta = choice.delta ?? {}
    const reasoning = text(delta.reasoning_content)
    const content = text(delta.content)
    const reason = text(choice.finish_reason)
    if (reasoning) events.push({ type: 'reasoning-delta', text: reasoning })
    if (content) events.push({ type: 'text-delta', text: content })
    events.push(...parseToolCalls(delta.tool_calls))
    if (reason) events.push({ type: 'choice-end', reason })
  }
  if (frame.usage) {
    const costUsd = costOf(frame.cost)
    events.push({
      type: 'usage',
      model: text(frame.model) ?? '',
      tokens: parseTokens(frame.usage),
      ...(costUsd !== undefined && { costUsd }),
    })
  }
  return events
}

/** Credit and the daily allowance are both dollars; one of them paid. */
export function costOf(cost: Loose<ChatChunk>['cost']): number | undefined {
  if (!cost) return undefined
  const [usd, diem] = [number(cost.usd), number(cost.diem)]
  return usd === undefined && diem === undefined ? undefined : usd || diem || 0
}

function parseServiceParameters(parameters: Loose<ChatChunk>['service_parameters']): AnswerEvent[] {
  if (!parameters) return []
  const events: AnswerEvent[] = []
  const { web_search_citations: found, web_search_status: status, assists } = parameters
  if (found) {
    events.push({ type: 'citations', citations: found.slice(0, MAX_CITATIONS).map(parseCitation) })
  }
  const outcome = OUTCOMES.find((one) => one === status)
  if (outcome) events.push({ type: 'search', outcome })
  if (assists) {
    const costUsd = assists.reduce((sum, assist) => sum + (number(assist?.cost_usd) ?? 0), 0)
    events.push({
      type: 'assists',
      assists: assists.slice(0, MAX_STEPS).flatMap(parseAssist),
      ...(costUsd > 0 && { costUsd }),
    })
  }
  return events
}

/** Keeps the place of each source, since marks name places: one that cannot be read is an empty one. */
function parseCitation(source: Loose<Citation> | null): Citation {
  const { title, url, content, date } = source ?? {}
  return {
    title: text(title) ?? '',
    url: text(url) ?? '',
    ...(text(content) && { content: text(content) }),
    ...(text(date) && { date: text(date) }),
  }
}

function parseAssist(assist: { type?: string; model?: string } | null): Assist[] {
  const { type, model } = assist ?? {}
  const reads = READS.find((one) => one === type)
  return reads && typeof model === 'string' ? [{ type: 'assist', reads, model }] : []
}

const OUTCOMES: readonly SearchOutcome[] = ['found', 'nothing_found', 'failed', 'not_needed']

const READS = ['image_url', 'input_audio', 'video_url'] as const

type ToolCalls = Loose<ChatChunk['choices'][number]['delta']['tool_calls']>

function parseToolCalls(calls: ToolCalls): AnswerEvent[] {
  if (!calls) return []
  return calls.slice(0, MAX_STEPS).flatMap((call): AnswerEvent[] => {
    if (!call?.function) return []
    const name = text(call.function.name)
    return [
      {
        type: 'tool-call-delta',
        index: number(call.index) ?? 0,
        input: text(call.function.arguments) ?? '',
        ...(name && { name }),
      },
    ]
  })
}

function parseHeaders(headers: Headers): AnswerEvent {
  const requestId = headers.get(REQUEST_ID_HEADER)
  const warning = headers.get('x-service-model-deprecation-warning')
  const day = headers.get('x-service-model-deprecation-date')?.slice(0, 10)
  const balance = headers.get('x-balance-remaining')
  return {
    type: 'accepted',
    ...(requestId && { requestId }),
    ...(balance !== null && Number.isFinite(Number(balance)) && { balanceUsd: Number(balance) }),
    ...(warning && { deprecation: day && !warning.includes(day) ? `${warning} (${day})` : warning }),
  }
}

export function parseTokens(usage: Loose<UsageBody>): TokenCount {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage
  return {
    input: number(usage.prompt_tokens) ?? 0,
    output: number(usage.completion_tokens) ?? 0,
    cached: number(prompt?.cached_tokens) ?? 0,
    reasoning: number(completion?.reasoning_tokens) ?? 0,
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
