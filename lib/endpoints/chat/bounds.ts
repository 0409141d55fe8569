import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { type MediaTokens, NO_TOKENS } from '@/lib/endpoints/chat/media-tokens'
import { promptText } from '@/lib/endpoints/chat/prompt'
import type { UsageBounds } from '@/lib/endpoints/chat/usage'
import type { ChatMessage, ChatRequest, ChatTool } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import type { Model } from '@/lib/services/models/model'

/** Output that one hold covers; long answers take more as they go. */
export const STRETCH_TOKENS = 4096
/** An answer that cannot even have this many tokens is not worth beginning. */
export const LEAST_OUTPUT_TOKENS = 16
/** Our count of a prompt is an estimate: a hold covers a fifth more. */
export const MARGIN = 1.2
/** No text has more characters to a token: one with more than this for each token of a context cannot fit. */
export const MOST_CHARS_PER_TOKEN = 8
/** JSON of tool definitions, in bytes a token. */
const TOOL_BYTES_PER_TOKEN = 3

/** `outputTokens` is the caller's own bound on a choice, where there is one. */
export type Asked = { tools?: ChatTool[]; n: number; outputTokens?: number }

/** The bound on a choice as an engine takes it. */
export type AnswerBound = Pick<ChatRequest, 'maxTokens' | 'bound'>

/**
 * Measures a prompt, and with it the bound on its answer. Our count is an estimate: it sets money aside, and the engine,
 * which counts by its own tokenizer, says whether the prompt fits.
 *
 * @throws ApiError context_length_exceeded when the model could not read it however it counts.
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
  const toolTokens = Math.ceil(toolBytes / TOOL_BYTES_PER_TOKEN)
  const inputTokens = chatEngine(model.engine).countTokens(text) + toolTokens + media.estimate
  const bound = answerBound(asked.outputTokens, model, inputTokens)
  return {
    ...bound,
    bounds: {
      inputTokens,
      inputBytes: textBytes + toolBytes + media.most,
      messages: prompt.length,
      maxOutputTokens: bound.maxTokens * asked.n,
    },
  }
}

/**
 * Bounds an answer by what its caller asked for, else by the model's own maximum. A caller's bound below that maximum is
 * firm; the maximum is open where the prompt, as far as we can tell, leaves less of the context (docs/adr/0030).
 */
export function answerBound(asked: number | undefined, model: Model, inputTokens: number): AnswerBound {
  const { maxCompletionTokens, contextTokens } = model
  if (asked !== undefined && asked < maxCompletionTokens) return { maxTokens: asked, bound: 'firm' }
  const fits = inputTokens + maxCompletionTokens <= contextTokens
  return { maxTokens: maxCompletionTokens, bound: fits ? undefined : 'open' }
}

/** @throws ApiError context_length_exceeded when so many characters are too many whatever they are, before they are counted. */
export function assertMayFit(chars: number, model: Model): void {
  const { id, contextTokens } = model
  if (chars <= contextTokens * MOST_CHARS_PER_TOKEN) return
  throw new ApiError(
    'context_length_exceeded',
    `The context of ${id} is ${contextTokens} tokens, and the conversation has ${chars} characters: it cannot fit. Shorten it or choose a model with a longer context.`,
  )
}
