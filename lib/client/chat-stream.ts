import { EventSourceParserStream } from 'eventsource-parser/stream'
import { API_ROOT, isRecord, knownCode, postJson, REQUEST_ID_HEADER, text } from '@/lib/client/api'
import type { ErrorCode } from '@/lib/core/errors'

/** A stream that says nothing at all for this long is dead: the service sends a comment every 15 seconds. */
const SILENCE_TIMEOUT_MS = 60_000
/** One event of a stream, in characters; the service bounds its own far below. */
const MAX_EVENT_CHARS = 4 * 1024 * 1024

export type ChatTurn = { role: 'system' | 'user' | 'assistant'; content: string }

export type ChatQuestion = {
  model: string
  messages: ChatTurn[]
  /** Bounds what the answer can cost. */
  maxOutputTokens?: number
}

export type TokenCount = { input: number; output: number; cached: number; reasoning: number }

/** What an answer says while it arrives: the noun first, then what happened to it. */
export type AnswerEvent =
  | { type: 'accepted'; requestId?: string; deprecation?: string; balanceUsd?: number }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'text-delta'; text: string }
  | { type: 'choice-end'; reason: string }
  | { type: 'usage'; model: string; tokens: TokenCount; costUsd?: number }
  | { type: 'error'; code: ErrorCode; message: string; retryAfterSeconds?: number }
  | { type: 'end' }

/**
 * Asks a model and yields what it says. Ends after `end`, or without it when the connection broke off.
 *
 * @throws ApiError when the service refuses; TypeError or DOMException when it cannot be reached or falls silent.
 */
export async function* streamAnswer(question: ChatQuestion, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
  const silence = new AbortController()
  const { maxOutputTokens, ...asked } = question
  const body = {
    ...asked,
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    stream: true,
    stream_options: { include_usage: true },
  }
  const response = await postJson(`${API_ROOT}/chat/completions`, body, AbortSignal.any([signal, silence.signal]))
  yield acceptedBy(response.headers)
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
    for await (const frame of readAll(frames)) {
      for (const event of eventsOf(frame.data)) yield event
      if (frame.data === '[DONE]') return
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The events in one frame; none in a frame that cannot be read. Source: API contract, chat.md 9. */
export function eventsOf(data: string): AnswerEvent[] {
  if (data === '[DONE]') return [{ type: 'end' }]
  const frame = parse(data)
  if (!isRecord(frame)) return []
  if (isRecord(frame.error)) {
    const retryAfterSeconds = number(frame.error.retry_after)
    return [
      {
        type: 'error',
        code: knownCode(frame.error.code, 500),
        message: text(frame.error.message) ?? 'The model stopped with an error.',
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      },
    ]
  }
  const events: AnswerEvent[] = []
  const choice = Array.isArray(frame.choices) ? frame.choices[0] : undefined
  if (isRecord(choice)) {
    const delta = isRecord(choice.delta) ? choice.delta : {}
    const reasoning = text(delta.reasoning_content)
    const content = text(delta.content)
    const reason = text(choice.finish_reason)
    if (reasoning) events.push({ type: 'reasoning-delta', text: reasoning })
    if (content) events.push({ type: 'text-delta', text: content })
    if (reason) events.push({ type: 'choice-end', reason })
  }
  if (isRecord(frame.usage)) {
    const costUsd = isRecord(frame.cost) ? number(frame.cost.usd) : undefined
    events.push({
      type: 'usage',
      model: text(frame.model) ?? '',
      tokens: tokensOf(frame.usage),
      ...(costUsd !== undefined && { costUsd }),
    })
  }
  return events
}

function acceptedBy(headers: Headers): AnswerEvent {
  const requestId = headers.get(REQUEST_ID_HEADER)
  const warning = headers.get('x-service-model-deprecation-warning')
  const date = headers.get('x-service-model-deprecation-date')
  const balance = headers.get('x-balance-remaining')
  return {
    type: 'accepted',
    ...(requestId && { requestId }),
    ...(balance !== null && Number.isFinite(Number(balance)) && { balanceUsd: Number(balance) }),
    ...(warning && { deprecation: date ? `${warning} (${date.slice(0, 10)})` : warning }),
  }
}

function tokensOf(usage: Record<string, unknown>): TokenCount {
  const prompt = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const completion = isRecord(usage.completion_tokens_details) ? usage.completion_tokens_details : {}
  return {
    input: number(usage.prompt_tokens) ?? 0,
    output: number(usage.completion_tokens) ?? 0,
    cached: number(prompt.cached_tokens) ?? 0,
    reasoning: number(completion.reasoning_tokens) ?? 0,
  }
}

/** Streams are not async iterable in every browser that we support. */
async function* readAll<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
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
