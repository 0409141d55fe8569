/**
 * The seam to whatever produces output. An engine knows nothing of callers, money or HTTP replies.
 *
 * Messages, tools and the response format keep the field's wire names (`tool_calls`, `json_schema`): they are
 * documents that pass through, and every engine of the field reads them in this form.
 */

export type TextPart = { type: 'text'; text: string; cache_control?: { type: 'ephemeral'; ttl?: string } }

export type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

export type ChatMessage =
  | { role: 'system' | 'developer' | 'user'; content: string | TextPart[]; name?: string }
  | {
      role: 'assistant'
      content: string | TextPart[] | null
      name?: string
      tool_calls?: ToolCall[]
      reasoning_content?: string
      reasoning_details?: Record<string, unknown>[]
    }
  | { role: 'tool'; content: string | TextPart[]; tool_call_id: string; name?: string }

export type ChatTool = {
  type: 'function'
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean }
}

export type ToolChoice = 'auto' | 'none' | 'required' | { type: 'function'; function: { name: string } }

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      json_schema: { name: string; schema: Record<string, unknown>; strict?: boolean; description?: string }
    }

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** Sampling settings. What is absent is the engine's own default. */
export type Sampling = {
  temperature?: number
  topP?: number
  topK?: number
  minP?: number
  minTemperature?: number
  maxTemperature?: number
  frequencyPenalty?: number
  presencePenalty?: number
  repetitionPenalty?: number
  seed?: number
}

export type ChatRequest = {
  /** The engine's own name of the model. */
  model: string
  messages: ChatMessage[]
  sampling: Sampling
  /** Number of choices, at least 1. */
  n: number
  /** Bound on generated tokens of each choice, reasoning included. Always set by the caller. */
  maxTokens: number
  stop: string[]
  stopTokenIds?: number[]
  logprobs?: { top: number }
  tools?: ChatTool[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
  responseFormat?: ResponseFormat
  reasoning?: { effort?: ReasoningEffort; summary?: 'auto' | 'concise' | 'detailed'; isEnabled?: boolean }
  verbosity?: 'low' | 'medium' | 'high' | 'auto'
  /** Requests with one key go to one backend. Already bound to the account, so hits are never shared. */
  cacheKey?: string
  cacheRetention?: 'default' | 'extended' | '24h'
  /** Fields outside the interface: an engine forwards what it knows and drops the rest. */
  extra: Record<string, unknown>
}

export type TokenLogprob = {
  token: string
  logprob: number
  bytes?: number[]
  top_logprobs?: { token: string; logprob: number; bytes?: number[] }[]
}

/** What a chat engine says while it works: the noun first, then what happened to it. */
export type ChatEvent =
  | { type: 'text-delta'; choice: number; text: string; logprobs?: TokenLogprob[] }
  | { type: 'reasoning-delta'; choice: number; text: string }
  | { type: 'reasoning-details'; choice: number; details: Record<string, unknown>[] }
  | { type: 'tool-call-delta'; choice: number; index: number; id?: string; name?: string; arguments: string }
  | { type: 'choice-end'; choice: number; reason: 'stop' | 'length' | 'tool_calls' }
  | ({ type: 'usage' } & TokenUsage)
  /** Who serves, once known and before the first delta: the router's name, and attempts beyond the first. */
  | { type: 'route'; router?: string; retries: number }

export type TokenUsage = {
  inputTokens: number
  /** Read from cache; part of the input. */
  cachedTokens: number
  /** Written to cache; part of the input. */
  cacheWriteTokens: number
  outputTokens: number
  /** Part of the output. */
  reasoningTokens: number
}

export interface ChatEngine {
  /**
   * Streams one answer. Pull-based: nothing is read ahead of the consumer beyond one upstream chunk. Ends after a
   * `choice-end` for every choice; a `usage` event comes last where the engine counts, and none where it does not.
   *
   * @throws EngineError before the first event when nothing was produced, or in mid-stream when the engine broke.
   */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>
  /**
   * The same answer, handed over in groups: all events that came in at the same moment. Never an empty group. Present
   * where the engine gets many events at once, so that a burst costs one turn of the event loop and not one an event.
   */
  streamBatches?(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent[]>
  /** Tokens of a text as this engine counts them; an estimate where it has no tokenizer at hand. */
  countTokens(text: string): number
  close?(): Promise<void>
}

/** Why an engine could not answer, in terms that the API's error table knows. Its message is safe to show. */
export class EngineError extends Error {
  override name = 'EngineError'
  readonly reason: EngineFailure
  readonly retryAfterSeconds?: number

  constructor(reason: EngineFailure, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause })
    this.reason = reason
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/**
 * - `invalid-request`: the engine refuses the request as the caller wrote it (400)
 * - `context-overflow`: prompt and answer do not fit the context (400, E3)
 * - `content-policy`: refused before output (422)
 * - `overloaded`: busy, come back (429)
 * - `at-capacity`: our own bound on work in flight (503)
 * - `offline`: not reachable, not loaded, no weights (503)
 * - `timeout`: a deadline passed (504)
 * - `failed`: anything else (500)
 */
export type EngineFailure =
  | 'invalid-request'
  | 'context-overflow'
  | 'content-policy'
  | 'overloaded'
  | 'at-capacity'
  | 'offline'
  | 'timeout'
  | 'failed'
