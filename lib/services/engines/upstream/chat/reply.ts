import 'server-only'
import { MAX_CHARS_PER_TOKEN } from '@/lib/contract/estimates'
import type { ChatEvent, ChatRequest, TokenLogprob, TokenUsage } from '@/lib/services/engines/engine'
import { ToolCalls } from '@/lib/services/engines/upstream/chat/tool-calls'
import { streamError, UpstreamError } from '@/lib/services/engines/upstream/failures'
import { cleanText, isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

const SPARE_CHARACTERS = 64

/** The fields of a delta that hold text. */
export type TextField = 'content' | 'reasoning_content' | 'reasoning'

type EndReason = 'stop' | 'length' | 'tool_calls'
type Choice = { reason?: EndReason; calls?: ToolCalls }

/**
 * Turns the objects of an upstream's reply, chunks of a stream or one whole completion, into events. Ends of choices
 * and usage wait for `end`: some servers repeat a finish reason with every chunk, or count as they go, and the last one
 * is right.
 */
export class Reply {
  hasOutput = false
  isOverlong = false
  readonly #choices: Choice[]
  readonly #wantsLogprobs: boolean
  readonly #secrets: string[]
  readonly #sources?: Sources
  readonly #tools: ReadonlySet<string>
  readonly #wantsPromptLogprobs: boolean
  #charactersLeft: number
  #usage?: TokenUsage

  constructor(request: ChatRequest, secrets: string[]) {
    this.#choices = Array.from({ length: request.n }, () => ({}))
    this.#wantsLogprobs = request.logprobs !== undefined
    this.#wantsPromptLogprobs = request.promptLogprobs !== undefined
    this.#secrets = secrets
    if (request.nativeSearch) this.#sources = new Sources(request.nativeSearch.maxResults)
    this.#tools = new Set(request.tools?.map((tool) => tool.function.name))
    this.#charactersLeft = request.maxTokens * request.n * MAX_CHARS_PER_TOKEN + SPARE_CHARACTERS
  }

  get isFinished(): boolean {
    for (const choice of this.#choices) if (choice.reason === undefined) return false
    return true
  }

  take(value: unknown, out: ChatEvent[]): void {
    if (!isWireObject(value)) return
    if (value.error || value.object === 'error') throw streamError(value, this.#secrets)
    this.#sources?.take(value)
    if (this.#wantsPromptLogprobs) {
      const logprobs = readPromptLogprobs(value.prompt_logprobs)
      if (logprobs) out.push({ type: 'prompt-logprobs', logprobs })
    }
    const { choices } = value
    if (Array.isArray(choices)) for (const choice of choices) if (isWireObject(choice)) this.#takeChoice(choice, out)
    if (value.usage != null) this.#usage = readUsage(value.usage) ?? this.#usage
    else if (isWireObject(value.x_groq)) this.#usage = readUsage(value.x_groq.usage) ?? this.#usage
  }

  takeText(field: TextField, text: string, out: ChatEvent[]): void {
    const fitted = this.#keep(text)
    if (fitted !== '')
      out.push({ type: field === 'content' ? 'text-delta' : 'reasoning-delta', choice: 0, text: fitted })
  }

  end(out: ChatEvent[]): void {
    for (const [choice, { reason: event = 'stop', calls }] of this.#choices.entries()) {
      // Whatever it says itself: it was cut here.
      const reason = this.isOverlong ? 'length' : event
      const hasCalls = calls?.hasAny === true
      const isCut = reason === 'length'
      out.push({ type: 'choice-end', choice, reason: isCut ? 'length' : hasCalls ? 'tool_calls' : 'stop' })
    }
    const sources = this.#sources?.event()
    if (sources) out.push(sources)
    // What an upstream out of its bounds counts is not believed either.
    if (this.#usage && !this.isOverlong) out.push({ type: 'usage', ...this.#usage })
  }

  #takeChoice(wire: WireObject, out: ChatEvent[]): void {
    const index = typeof wire.index === 'number' ? wire.index : 0
    const choice = this.#choices[index]
    if (choice === undefined) return
    const delta = wire.delta ?? wire.message
    if (isWireObject(delta)) this.#takeDelta(index, choice, delta, wire, out)
    else if (typeof wire.text === 'string') this.#text(index, wire.text, undefined, out)
    if (wire.finish_reason != null) {
      const reason = endReason(wire.finish_reason)
      if (reason !== undefined) {
        choice.reason = reason
        this.hasOutput = true
      }
    }
    if (wire.usage != null) this.#usage = readUsage(wire.usage) ?? this.#usage
  }

  #takeDelta(index: number, choice: Choice, delta: WireObject, wire: WireObject, out: ChatEvent[]): void {
    const thought = this.#keep(reasoningText(delta))
    if (thought !== '') out.push({ type: 'reasoning-delta', choice: index, text: thought })
    this.#sources?.takeAnnotations(delta.annotations)
    const details = readDetails(delta.reasoning_details)
    if (details.length > 0) {
      this.#count(0)
      out.push({ type: 'reasoning-details', choice: index, details })
    }
    const logprobs = this.#wantsLogprobs ? readLogprobs(wire.logprobs) : undefined
    const from = out.length
    this.#text(index, contentText(delta), logprobs, out)
    const reason = out[from]
    if (textOrUndefined(delta.refusal) !== undefined && reason?.type === 'text-delta') reason.isRefusal = true
    const calls = delta.tool_calls ?? (delta.function_call == null ? undefined : [{ function: delta.function_call }])
    if (Array.isArray(calls) && calls.length > 0) {
      choice.calls ??= new ToolCalls(index, this.#tools)
      for (const call of calls) this.#count(choice.calls.take(call, out))
    }
  }

  #text(choice: number, text: string, logprobs: TokenLogprob[] | undefined, out: ChatEvent[]): void {
    if (text === '' && logprobs === undefined) return
    const fitted = this.#keep(text)
    if (fitted === '' && text !== '') return
    this.hasOutput = true
    out.push(
      logprobs ? { type: 'text-delta', choice, text: fitted, logprobs } : { type: 'text-delta', choice, text: fitted },
    )
  }

  #keep(text: string): string {
    if (text === '') return ''
    const left = Math.max(0, this.#charactersLeft)
    this.#count(text.length)
    return text.length <= left ? text : text.slice(0, left).replace(/[\uD800-\uDBFF]$/, '')
  }

  #count(characters: number): void {
    this.hasOutput = true
    this.#charactersLeft -= characters
    if (this.#charactersLeft < 0) this.isOverlong = true
  }
}

function endReason(value: unknown): EndReason | undefined {
  const reason = textOrUndefined(value)?.toLowerCase()
  switch (reason) {
    case undefined:
      return undefined
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
    case 'model_length':
      return 'length'
    case 'tool_calls':
    case 'tool_call':
    case 'tool_use':
    case 'function_call':
      return 'tool_calls'
    case 'error':
    case 'abort':
      throw new UpstreamError('failed', 'The model stopped in the middle of its answer. Try again.', {
        retry: 'anywhere',
        isServerFault: true,
      })
    default:
      return 'stop'
  }
}

const MAX_TOKENS = 100_000_000

/**
 * Reads a usage object in the spellings of the field.
 *
 * @returns undefined when there is none, or it cannot be true (negative, not whole, out of all proportion), so that it
 *   charges nobody. Zero is a count, `null` is none.
 */
function readUsage(value: unknown): TokenUsage | undefined {
  if (!isWireObject(value)) return undefined
  const inputDetails = detail(value.prompt_tokens_details ?? value.input_tokens_details)
  const outputDetails = detail(value.completion_tokens_details ?? value.output_tokens_details)
  const inputTokens = count(value.prompt_tokens ?? value.input_tokens)
  const total = count(value.total_tokens)
  if (inputTokens === undefined) return undefined
  let outputTokens = count(value.completion_tokens ?? value.output_tokens)
  // A server that says only the sum, as some do when nothing was generated.
  if (value.completion_tokens == null && value.output_tokens == null && total !== undefined && total >= inputTokens) {
    outputTokens = total - inputTokens
  }
  if (outputTokens === undefined) return undefined
  const reasoningTokens = count(outputDetails.reasoning_tokens ?? value.reasoning_tokens) ?? 0
  // Some vendors count thinking beside the output; the sum gives it away.
  if (reasoningTokens > 0 && total === inputTokens + outputTokens + reasoningTokens) outputTokens += reasoningTokens
  const cachedTokens = Math.min(
    inputTokens,
    count(
      inputDetails.cached_tokens ??
        value.prompt_cache_hit_tokens ??
        value.cache_read_input_tokens ??
        value.cached_tokens,
    ) ?? 0,
  )
  const cacheWriteTokens = Math.min(
    inputTokens - cachedTokens,
    count(
      inputDetails.cache_creation_input_tokens ?? inputDetails.cache_write_tokens ?? value.cache_creation_input_tokens,
    ) ?? 0,
  )
  return {
    inputTokens,
    cachedTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens: Math.min(reasoningTokens, outputTokens),
  }
}

const NONE: WireObject = {}
const detail = (value: unknown): WireObject => (isWireObject(value) ? value : NONE)

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : undefined
}

const MAX_SOURCES = 50
const MAX_URL_CHARACTERS = 2_048
const MAX_TITLE_CHARACTERS = 300
const MAX_LOOKED_AT = 500

/**
 * Gathers the citations of a vendor's own search over the chunks of a reply: web addresses only, each once, bounded in
 * number and length.
 */
class Sources {
  readonly #maxResults: number
  readonly #byUrl = new Map<string, string>()
  #results?: number

  constructor(maxResults: number) {
    this.#maxResults = maxResults
  }

  take(chunk: WireObject): void {
    for (const list of [chunk.search_results, chunk.citations]) this.#takeList(list)
    if (!isWireObject(chunk.usage)) return
    const used = chunk.usage.num_sources_used ?? chunk.usage.num_search_queries
    if (typeof used === 'number' && Number.isInteger(used) && used >= 0) this.#results = used
  }

  takeAnnotations(value: unknown): void {
    if (Array.isArray(value)) this.#takeList(value.map((one) => (isWireObject(one) ? (one.url_citation ?? one) : one)))
  }

  event(): Extract<ChatEvent, { type: 'sources' }> | undefined {
    const sources = [...this.#byUrl].map(([url, title]) => ({ title, url }))
    const results = Math.min(this.#results ?? sources.length, this.#maxResults)
    return sources.length === 0 && results === 0 ? undefined : { type: 'sources', sources, results }
  }

  #takeList(value: unknown): void {
    if (!Array.isArray(value)) return
    for (const entry of value.slice(0, MAX_LOOKED_AT)) {
      const fields: WireObject = isWireObject(entry) ? entry : { url: entry }
      const url = webAddress(textOrUndefined(fields.url) ?? textOrUndefined(fields.uri) ?? textOrUndefined(fields.link))
      if (url === undefined || (this.#byUrl.size >= MAX_SOURCES && !this.#byUrl.has(url.href))) continue
      const title = cleanText(textOrUndefined(fields.title) ?? '', MAX_TITLE_CHARACTERS)
      const known = this.#byUrl.get(url.href)
      // An address alone, or a number for a title, is what the first of several mentions often has.
      if (known === undefined || (known === url.hostname && title !== '')) {
        this.#byUrl.set(url.href, title === '' || /^\d+$/.test(title) ? url.hostname : title)
      }
    }
  }
}

function webAddress(text: string | undefined): URL | undefined {
  if (text === undefined || text.length > MAX_URL_CHARACTERS) return undefined
  const url = URL.parse(text)
  const isWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
  return isWeb && url.username === '' && url.password === '' && url.href.length <= MAX_URL_CHARACTERS ? url : undefined
}

const MIN_LOGPROB = -9999

function contentText(delta: WireObject): string {
  const { content } = delta
  if (typeof content === 'string') return content === '' ? (textOrUndefined(delta.refusal) ?? '') : content
  if (Array.isArray(content)) return partsText(content, 'text')
  return textOrUndefined(delta.refusal) ?? ''
}

function reasoningText(delta: WireObject): string {
  const text = textOrUndefined(delta.reasoning_content) ?? textOrUndefined(delta.reasoning)
  if (text !== undefined) return text
  return Array.isArray(delta.content) ? partsText(delta.content, 'thinking') : ''
}

function partsText(parts: unknown[], type: 'text' | 'thinking'): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') text += type === 'text' ? part : ''
    else if (isWireObject(part) && (part.type ?? 'text') === type) {
      const value = part[type]
      text += Array.isArray(value) ? partsText(value, 'text') : (textOrUndefined(value) ?? '')
    }
  }
  return text
}

function readPromptLogprobs(value: unknown): unknown[] | undefined {
  return Array.isArray(value) && isShallow(value, MAX_DETAIL_DEPTH) ? value : undefined
}

const MAX_DETAIL_DEPTH = 8

/** Passes the reasoning details of a delta as they are, for they go back as they came. Endless nesting is dropped. */
function readDetails(value: unknown): WireObject[] {
  return Array.isArray(value) ? value.filter(isWireObject).filter((detail) => isShallow(detail, MAX_DETAIL_DEPTH)) : []
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1))
}

function readLogprobs(value: unknown): TokenLogprob[] | undefined {
  if (!isWireObject(value) || !Array.isArray(value.content)) return undefined
  const tokens: TokenLogprob[] = []
  for (const entry of value.content) {
    const token = readToken(entry)
    if (token === undefined) continue
    const top = isWireObject(entry) && Array.isArray(entry.top_logprobs) ? entry.top_logprobs : undefined
    if (top) tokens.push({ ...token, top_logprobs: top.map(readToken).filter((other) => other !== undefined) })
    else tokens.push(token)
  }
  return tokens.length > 0 ? tokens : undefined
}

function readToken(value: unknown): TokenLogprob | undefined {
  if (!isWireObject(value) || typeof value.token !== 'string') return undefined
  const { logprob, bytes } = value
  const token: TokenLogprob = {
    token: value.token,
    logprob: typeof logprob === 'number' ? Math.min(Math.max(logprob, MIN_LOGPROB), 0) : MIN_LOGPROB,
  }
  if (Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)) {
    token.bytes = bytes as number[]
  }
  return token
}
