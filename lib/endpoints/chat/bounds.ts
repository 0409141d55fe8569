import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { MAX_CHARS_PER_TOKEN } from '@/lib/contract/estimates'
import { promptText } from '@/lib/endpoints/chat/engine-request'
import { type MediaTokens, NO_TOKENS } from '@/lib/endpoints/chat/media-tokens'
import type { UsageBounds } from '@/lib/endpoints/chat/usage'
import type { ChatMessage, ChatRequest, ChatTool } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import type { Model } from '@/lib/services/models/model'

const TOOL_BYTES_PER_TOKEN = 3

/** Tokens of instructions that vendors put before tools or a schema. Source: platform.claude.com, "Tool use", prices. */
const VENDOR_PROMPT_TOKENS = 1_024

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
