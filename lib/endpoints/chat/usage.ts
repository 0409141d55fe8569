import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { LONG_TOKEN_CHARS, MAX_CHARS_PER_TOKEN, SHORT_TOKEN_CHARS } from '@/lib/contract/estimates'
import { promptText } from '@/lib/endpoints/chat/engine-request'
import { type MediaTokens, NO_TOKENS } from '@/lib/endpoints/chat/media-tokens'
import type { ChatEvent, ChatMessage, ChatRequest, ChatTool, TokenUsage } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import type { Model } from '@/lib/services/models/model'

const TOOL_BYTES_PER_TOKEN = 3

/** Tokens of instructions that vendors put before tools or a schema. Source: platform.claude.com, "Tool use", prices. */
const VENDOR_PROMPT_TOKENS = 1_024
const SPARE_TOKENS = 16
/** Tokens per message that a chat template may add. Generous: it only rejects impossible counts. */
const TEMPLATE_TOKENS = 64

export type UsageBounds = {
  inputTokens: number
  inputBytes: number
  /** Tokens that a vendor may add of its own, where a request has tools or a schema. */
  instructionTokens?: number
  messages: number
  maxOutputTokens: number
}

type Asked = {
  tools?: ChatTool[]
  responseFormat?: ChatRequest['responseFormat']
  n: number
  outputTokens?: number
}

type AnswerBound = Pick<ChatRequest, 'maxTokens' | 'bound'>

/**
 * Measures a prompt and bounds its answer. The count is an estimate for the hold; the engine's own tokenizer decides
 * whether the prompt fits.
 *
 * @throws ApiError context_length_exceeded when it cannot fit by any count.
 */
export function measure(
  prompt: ChatMessage[],
  model: Model,
  asked: Asked,
  media: MediaTokens = NO_TOKENS,
): AnswerBound & { bounds: UsageBounds } {
  const text = promptText(prompt)
  assertMayFit(text.length, model)
  const textBytes = Buffer.byteLength(text)
  const toolBytes = asked.tools?.length ? Buffer.byteLength(JSON.stringify(asked.tools)) : 0
  const hasSchema = asked.responseFormat?.type === 'json_schema'
  const schemaBytes = hasSchema ? Buffer.byteLength(JSON.stringify(asked.responseFormat)) : 0
  const toolTokens = Math.ceil(toolBytes / TOOL_BYTES_PER_TOKEN)
  const inputTokens = chatEngine(model.engine).countTokens(text) + toolTokens + media.estimate
  const bound = answerBound(asked.outputTokens, model, inputTokens)
  return {
    ...bound,
    bounds: {
      inputTokens,
      inputBytes: textBytes + toolBytes + schemaBytes + thoughtBytes(prompt) + media.most,
      ...(toolBytes + schemaBytes > 0 && { instructionTokens: VENDOR_PROMPT_TOKENS }),
      messages: prompt.length,
      maxOutputTokens: bound.maxTokens * asked.n,
    },
  }
}

/** Thoughts of earlier answers are counted by vendors that want them back. */
function thoughtBytes(prompt: ChatMessage[]): number {
  return prompt.reduce((sum, message) => {
    if (message.role !== 'assistant') return sum
    const { reasoning_details, reasoning_content = '', thought_signature = '' } = message
    const details = reasoning_details ? Buffer.byteLength(JSON.stringify(reasoning_details)) : 0
    return sum + details + Buffer.byteLength(reasoning_content) + Buffer.byteLength(thought_signature)
  }, 0)
}

/**
 * Bounds an answer by the caller's limit, otherwise by the model's maximum. A caller's limit is firm; the maximum is
 * open where the estimated prompt leaves less of the context (docs/adr/0030).
 */
export function answerBound(asked: number | undefined, model: Model, inputTokens: number): AnswerBound {
  const { maxCompletionTokens, contextTokens } = model
  if (asked !== undefined && asked < maxCompletionTokens) return { maxTokens: asked, bound: 'firm' }
  const fits = inputTokens + maxCompletionTokens <= contextTokens
  return { maxTokens: maxCompletionTokens, bound: fits ? undefined : 'open' }
}

/** @throws ApiError context_length_exceeded when the text is too long whatever it is, before its tokens are counted. */
export function assertMayFit(chars: number, model: Model): void {
  const { id, contextTokens } = model
  if (chars <= contextTokens * MAX_CHARS_PER_TOKEN) return
  throw new ApiError(
    'context_length_exceeded',
    `The context of ${id} is ${contextTokens} tokens, and the conversation has ${chars} characters: it cannot fit. Shorten it or choose a model with a longer context.`,
  )
}

/**
 * Counts the usage of an answer: the engine's report when it is possible, otherwise what passed by. A report above the
 * allowed output or the prompt's bytes is not believed, so that no engine can overcharge.
 */
export function createUsageCounter(first: UsageBounds) {
  let bounds = first
  let deltas = 0
  let chars = 0
  let thoughtChars = 0
  let reported: TokenUsage | undefined

  const seenOutput = () => Math.min(Math.max(deltas, Math.ceil(chars / LONG_TOKEN_CHARS)), bounds.maxOutputTokens)

  /** Many servers do not count thoughts separately, and none does for tags: they get their share of the text. */
  function withThoughts(usage: TokenUsage): TokenUsage {
    if (usage.reasoningTokens > 0 || thoughtChars === 0) return usage
    return { ...usage, reasoningTokens: Math.ceil((usage.outputTokens * thoughtChars) / chars) }
  }

  return {
    expect(next: UsageBounds): void {
      bounds = next
    },
    count(event: ChatEvent): void {
      if (event.type === 'text-delta') {
        deltas++
        chars += event.text.length
      } else if (event.type === 'reasoning-delta') {
        deltas++
        chars += event.text.length
        thoughtChars += event.text.length
      } else if (event.type === 'tool-call-delta') {
        deltas++
        chars += event.arguments.length
      } else if (event.type === 'usage' && isPossible(event, bounds)) {
        reported = event
      }
    },
    countThoughts(events: ChatEvent[]): void {
      for (const event of events) if (event.type === 'reasoning-delta') thoughtChars += event.text.length
    },
    hasOutput(): boolean {
      return deltas > 0
    },
    isOver(): boolean {
      // Some servers cut a token into several deltas: only deltas with enough text count as tokens.
      const surely = Math.max(Math.min(deltas, chars / SHORT_TOKEN_CHARS), chars / LONG_TOKEN_CHARS)
      return surely > bounds.maxOutputTokens + SPARE_TOKENS
    },
    within(event: ChatEvent): ChatEvent[] {
      if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return []
      const surplus = chars - (bounds.maxOutputTokens + SPARE_TOKENS) * LONG_TOKEN_CHARS
      const length = event.text.length - surplus
      if (surplus <= 0 || length <= 0) return []
      return [{ ...event, text: event.text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '') }]
    },
    isEstimated(): boolean {
      return reported === undefined
    },
    usage(): TokenUsage {
      return withThoughts(
        reported ?? {
          inputTokens: bounds.inputTokens,
          cachedTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: seenOutput(),
          reasoningTokens: 0,
        },
      )
    },
  }
}

export type UsageCounter = ReturnType<typeof createUsageCounter>

function isPossible(usage: TokenUsage, bounds: UsageBounds): boolean {
  const { inputBytes, instructionTokens = 0, messages } = bounds
  const maxInput = inputBytes + instructionTokens + TEMPLATE_TOKENS * (messages + 1)
  return (
    usage.inputTokens <= maxInput &&
    usage.cachedTokens + usage.cacheWriteTokens <= usage.inputTokens &&
    usage.outputTokens <= bounds.maxOutputTokens &&
    usage.reasoningTokens <= usage.outputTokens
  )
}
