import 'server-only'
import type { ChatEvent, ChatRequest, TokenLogprob, TokenUsage } from '@/lib/services/engines/engine'
import {
  contentText,
  readDetails,
  readLogprobs,
  readPromptLogprobs,
  reasoningText,
} from '@/lib/services/engines/upstream/chat/delta'
import { Sources } from '@/lib/services/engines/upstream/chat/sources'
import type { TextField } from '@/lib/services/engines/upstream/chat/text-template'
import { ToolCalls } from '@/lib/services/engines/upstream/chat/tool-calls'
import { readUsage } from '@/lib/services/engines/upstream/chat/usage'
import { isWireObject, textOf, type WireObject } from '@/lib/services/engines/upstream/chat/wire-value'
import { streamError, UpstreamError } from '@/lib/services/engines/upstream/failures'

/** No text has more characters to a token on average; a few tokens may (a run of blanks). */
const MAX_CHARACTERS_PER_TOKEN = 8
const SPARE_CHARACTERS = 64

type EndReason = 'stop' | 'length' | 'tool_calls'
type Choice = { reason?: EndReason; calls?: ToolCalls }

/**
 * Turns the objects of an upstream's reply, chunks of a stream or one whole completion, into events. Ends of choices
 * and usage wait for `end`: some servers repeat a finish reason with every chunk, or count as they go, and the last
 * one is right.
 */
export class Reply {
  /** Something was generated, or a choice was ended. */
  hasOutput = false
  /** More was generated than the request allows: the upstream does not keep its bound, or has lost its mind. */
  isOverlong = false
  readonly #choices: Choice[]
  readonly #wantsLogprobs: boolean
  readonly #secrets: string[]
  /** Present where the vendor was asked to search: what another cites without being asked is only its word. */
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
    this.#charactersLeft = request.maxTokens * request.n * MAX_CHARACTERS_PER_TOKEN + SPARE_CHARACTERS
  }

  /** Every choice has its finish reason: what may still come is usage. */
  get isFinished(): boolean {
    for (const choice of this.#choices) if (choice.reason === undefined) return false
    return true
  }

  /**
   * Takes one object of the reply.
   *
   * @throws UpstreamError when it is an error.
   */
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

  /** Takes a chunk of the first choice that is known to hold a text and nothing else. */
  takeText(field: TextField, text: string, out: ChatEvent[]): void {
    const kept = this.#keep(text)
    if (kept !== '') out.push({ type: field === 'content' ? 'text-delta' : 'reasoning-delta', choice: 0, text: kept })
  }

  /** The upstream said all that it will say: ends what is open. */
  end(out: ChatEvent[]): void {
    for (const [choice, { reason: said = 'stop', calls }] of this.#choices.entries()) {
      // Whatever it says itself: it was cut here.
      const reason = this.isOverlong ? 'length' : said
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
    const said = out[from]
    if (textOf(delta.refusal) !== undefined && said?.type === 'text-delta') said.isRefusal = true
    const calls = delta.tool_calls ?? (delta.function_call == null ? undefined : [{ function: delta.function_call }])
    if (Array.isArray(calls) && calls.length > 0) {
      choice.calls ??= new ToolCalls(index, this.#tools)
      for (const call of calls) this.#count(choice.calls.take(call, out))
    }
  }

  #text(choice: number, text: string, logprobs: TokenLogprob[] | undefined, out: ChatEvent[]): void {
    if (text === '' && logprobs === undefined) return
    const kept = this.#keep(text)
    if (kept === '' && text !== '') return
    this.hasOutput = true
    out.push(
      logprobs ? { type: 'text-delta', choice, text: kept, logprobs } : { type: 'text-delta', choice, text: kept },
    )
  }

  /** What of a text is within the bound, in whole characters. */
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

/** The contract's three reasons, from the spellings of the field. An unknown one is an ordinary end. */
function endReason(value: unknown): EndReason | undefined {
  const reason = textOf(value)?.toLowerCase()
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
      throw new UpstreamError('failed', 'The model broke off its answer. Try again.', {
        retry: 'anywhere',
        isServerFault: true,
      })
    default:
      return 'stop'
  }
}
