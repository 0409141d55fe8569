import 'server-only'
import { type MediaTokens, NO_TOKENS } from '@/lib/chat/media-tokens'
import { promptText } from '@/lib/chat/prompt'
import type { UsageBounds } from '@/lib/chat/usage'
import { ApiError } from '@/lib/core/errors'
import type { ChatMessage, ChatTool } from '@/lib/engines/engine'
import { chatEngine } from '@/lib/engines/registry'
import type { Model } from '@/lib/models/model'

/** Output that one hold covers; long answers take more as they go. */
export const STRETCH_TOKENS = 4096
/** An answer that cannot even have this many tokens is not worth beginning. */
export const LEAST_OUTPUT_TOKENS = 16
/** Our count of a prompt is an estimate: a hold covers a fifth more. */
export const MARGIN = 1.2
/** A prompt whose estimate is this many times the context cannot fit, whatever the tokenizer. */
const HOPELESS = 2
/** No text has more characters to a token. */
export const MOST_CHARS_PER_TOKEN = 8
/** What media may take of the context when the room for the answer is reckoned: their estimate knows no model's rule. */
const MEDIA_SHARE = 0.5
/** JSON of tool definitions, in bytes a token. */
const TOOL_BYTES_PER_TOKEN = 3

export type Asked = { tools?: ChatTool[]; n: number; outputTokens: number }

/**
 * The size of a prompt, and with it the bound on its answer.
 *
 * @throws ApiError context_length_exceeded when the model could not read it however it counts.
 */
export function measure(
  prompt: ChatMessage[],
  model: Model,
  asked: Asked,
  media: MediaTokens = NO_TOKENS,
): { bounds: UsageBounds; maxTokens: number } {
  const text = promptText(prompt)
  const textBytes = Buffer.byteLength(text)
  const toolBytes = asked.tools?.length ? Buffer.byteLength(JSON.stringify(asked.tools)) : 0
  const toolTokens = Math.ceil(toolBytes / TOOL_BYTES_PER_TOKEN)
  const textTokens = chatEngine(model.engine).countTokens(text) + toolTokens
  if (textTokens > model.contextTokens * HOPELESS) throw contextOverflow(model)
  const inputTokens = textTokens + media.estimate
  const mediaTokens = Math.min(media.estimate, Math.floor(model.contextTokens * MEDIA_SHARE))
  const maxTokens = answerBound(asked.outputTokens, model, textTokens + mediaTokens)
  return {
    maxTokens,
    bounds: {
      inputTokens,
      inputBytes: textBytes + toolBytes + media.most,
      messages: prompt.length,
      maxOutputTokens: maxTokens * asked.n,
    },
  }
}

/**
 * The model's own maximum bounds what was asked for, and so does what the prompt leaves of the context: many servers
 * refuse a request whose two parts do not fit together.
 */
export function answerBound(asked: number, model: Model, inputTokens: number): number {
  const left = Math.max(LEAST_OUTPUT_TOKENS, model.contextTokens - inputTokens)
  return Math.min(asked, model.maxCompletionTokens, left)
}

/** @throws ApiError context_length_exceeded when so many characters are too many whatever they are, before they are counted. */
export function assertMayFit(chars: number, model: Model): void {
  if (chars > model.contextTokens * HOPELESS * MOST_CHARS_PER_TOKEN) throw contextOverflow(model)
}

function contextOverflow(model: Model): ApiError {
  return new ApiError(
    'context_length_exceeded',
    `The conversation is longer than the ${model.contextTokens} tokens that ${model.id} can read. Shorten it or choose a model with a longer context.`,
  )
}
