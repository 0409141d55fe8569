/**
 * The seam to whatever produces output. An engine knows nothing of callers, money or HTTP replies.
 *
 * Messages, tools and the response format keep the field's wire names (`tool_calls`, `json_schema`): they are documents
 * that pass through, and every engine of the field reads them in this form.
 */

type Part = { cache_control?: { type: 'ephemeral'; ttl?: string } }

export type TextPart = Part & { type: 'text'; text: string }
/** A decoded and bounded image. `url` is a data URL. */
type ImagePart = Part & { type: 'image_url'; image_url: { url: string } }
/** Audio as 16 kHz mono WAV; `data` is base64. */
type AudioPart = Part & { type: 'input_audio'; input_audio: { data: string; format: 'wav' } }
/** A data URL of a bounded video, or the page of a site that the model declares to open. */
type VideoPart = Part & { type: 'video_url'; video_url: { url: string } }
/** A document as its maker wrote it, for models that read it themselves. `file_data` is a data URL. */
type FilePart = Part & { type: 'file'; file: { file_data: string; filename: string } }
export type ContentPart = TextPart | ImagePart | AudioPart | VideoPart | FilePart

export type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

export type ChatMessage =
  | { role: 'system' | 'developer'; content: string | TextPart[]; name?: string }
  | { role: 'user'; content: string | ContentPart[]; name?: string }
  | {
      role: 'assistant'
      content: string | TextPart[] | null
      name?: string
      tool_calls?: ToolCall[]
      reasoning_content?: string
      reasoning_details?: Record<string, unknown>[]
      thought_signature?: string
    }
  | { role: 'tool'; content: string | TextPart[]; tool_call_id: string; name?: string }

export function contentText({ content }: Pick<ChatMessage, 'content'>): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

export type ChatTool = {
  type: 'function'
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean }
}

type ToolChoice = 'auto' | 'none' | 'required' | { type: 'function'; function: { name: string } }

type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      json_schema: { name: string; schema: Record<string, unknown>; strict?: boolean; description?: string }
    }

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

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
  model: string
  messages: ChatMessage[]
  sampling: Sampling
  n: number
  /** Bound on generated tokens of each choice, reasoning included. */
  maxTokens: number
  /**
   * Decides where prompt and bound do not fit the context together. `firm`, the bound is the caller's own: the engine
   * refuses. Otherwise the answer takes the room there is; `open` says that this is to be expected, so that a server
   * which would refuse is not told the bound.
   */
  bound?: 'firm' | 'open'
  stop: string[]
  stopTokenIds?: number[]
  logprobs?: { top: number }
  promptLogprobs?: { top: number }
  tools?: ChatTool[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
  responseFormat?: ResponseFormat
  reasoning?: { effort?: ReasoningEffort; summary?: 'auto' | 'concise' | 'detailed'; isEnabled?: boolean }
  verbosity?: 'low' | 'medium' | 'high' | 'auto'
  /** Requests with one key go to one backend. Already bound to the account, so hits are never shared. */
  cacheKey?: string
  /** An opaque owner: prompts that an engine keeps may serve the same owner's next ones alone. */
  cacheScope?: string
  /** An opaque name: an engine with a queue of its own lets the request's position be asked for by it. */
  requestName?: string
  cacheRetention?: 'default' | 'extended' | '24h'
  /**
   * Search that the model's own vendor performs, on models that have it. Such a request has one choice and no `stop`.
   */
  nativeSearch?: { sources: ('web' | 'x')[]; maxResults: number }
  /** Nothing of the answer is wanted before its end: an engine may ask its server for one body instead of a stream. */
  isWhole?: boolean
  /** Fields outside the interface: an engine forwards what it knows and drops the rest. */
  extra: Record<string, unknown>
}

export type TokenLogprob = {
  token: string
  logprob: number
  bytes?: number[]
  top_logprobs?: { token: string; logprob: number; bytes?: number[] }[]
}

export type ChatEvent =
  | { type: 'text-delta'; choice: number; text: string; logprobs?: TokenLogprob[]; isRefusal?: true }
  | { type: 'reasoning-delta'; choice: number; text: string }
  | { type: 'reasoning-details'; choice: number; details: Record<string, unknown>[] }
  | { type: 'tool-call-delta'; choice: number; index: number; id?: string; name?: string; arguments: string }
  | { type: 'choice-end'; choice: number; reason: 'stop' | 'length' | 'tool_calls' }
  | ({ type: 'usage' } & TokenUsage)
  | { type: 'prompt-logprobs'; logprobs: unknown[] }
  /** Citations of the vendor's own search, and how many results it charges for. Totals, not increments. */
  | { type: 'sources'; sources: { title: string; url: string }[]; results: number }
  /** Sent once known and before the first delta: the router's name, and attempts beyond the first. */
  | { type: 'route'; router?: string; retries: number }

export type TokenUsage = {
  inputTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  outputTokens: number
  reasoningTokens: number
}

export interface ChatEngine {
  /** False where the models call a tool only when `toolChoice` forces one. */
  readonly callsToolsUnasked?: boolean
  /**
   * Streams one answer. Pull-based: nothing is read ahead of the consumer beyond one upstream chunk. Ends after a
   * `choice-end` for every choice; a `usage` event comes last where the engine counts, and none where it does not.
   *
   * @throws EngineError before the first event when nothing was produced, or in mid-stream when the engine broke.
   */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent>
  /**
   * Streams the same answer in groups, never empty, of events that came in at the same moment. Present where a burst
   * should cost one turn of the event loop and not one an event.
   */
  streamBatches?(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent[]>
  countTokens(text: string): number
  close?(): Promise<void>
}

export interface EmbeddingEngine {
  /** Embeds each text as one unit vector, in order. Text beyond the model's window does not count. */
  embed(texts: string[], signal: AbortSignal): Promise<Float32Array[]>
}

export type ImageReading = {
  text: string
  /** Confidence 0 to 1, best first; boxes as fractions of the image's width and height. */
  objects: { label: string; confidence: number; box: { left: number; top: number; width: number; height: number } }[]
}

/** A failure in terms that the API's error table knows. Its message is safe to show. */
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

/** There is no such model: a reload took it away, or this server runs none of its kind. */
export const unavailable = (what: string): EngineError =>
  new EngineError('offline', `The ${what} is not available at the moment. Choose another one.`)

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

/**
 * A picture that was decoded and encoded anew here: upright, sRGB, without metadata, PNG wherever it is transparent.
 */
export type InputImage = {
  bytes: Uint8Array
  mime: 'image/png' | 'image/jpeg'
  width: number
  height: number
  clearShare: number
}

export type PaintRequest = {
  model: string
  prompt: string
  negativePrompt?: string
  width: number
  height: number
  quality?: 'low' | 'medium' | 'high'
  steps?: number
  cfgScale?: number
  seed?: number
  isSafe: boolean
}

export type EditRequest = {
  model: string
  prompt: string
  /** The first is changed; where it is transparent, it is to be filled. */
  images: InputImage[]
  size?: { width: number; height: number }
  quality?: 'low' | 'medium' | 'high'
}

type UpscaleRequest = { model: string; image: InputImage; factor: 2 | 4; creativity: number }

type CutOutRequest = { model: string; image: InputImage }

/** Makes and changes pictures. Each method returns one file, of any format, unchecked. @throws EngineError */
export interface ImageEngine {
  paint(request: PaintRequest, signal: AbortSignal): Promise<Uint8Array>
  edit(request: EditRequest, signal: AbortSignal): Promise<Uint8Array>
  upscale(request: UpscaleRequest, signal: AbortSignal): Promise<Uint8Array>
  cutOut(request: CutOutRequest, signal: AbortSignal): Promise<Uint8Array>
}

export type ProviderRequest = {
  model: string
  input: Record<string, unknown>
  /** The same for every attempt of one job: a provider that heard it before does not begin again. */
  onceKey: string
}

export type ProviderRef = { base: string; id: string }

export type ProviderState =
  | { state: 'working' }
  | { state: 'done'; result: string }
  | { state: 'failed'; error: EngineError }

/**
 * A provider whose work takes longer than a request: it is asked to begin, asked how far it is, and asked for the file.
 * Each throws EngineError; `overloaded` and `offline` say that the same call may do better later.
 */
export interface JobProvider {
  submit(request: ProviderRequest, signal: AbortSignal): Promise<ProviderRef>
  poll(ref: ProviderRef, signal: AbortSignal): Promise<ProviderState>
  fetch(ref: ProviderRef, result: string, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Cancels as well as the provider can; never throws for work that has ended. */
  cancel(ref: ProviderRef, signal: AbortSignal): Promise<void>
}
