import 'server-only'
import type { Caller } from '@/lib/access/caller'
import type { Quote } from '@/lib/api/metered'
import { assertSupported, type ChatOptions, effectiveOptions, wantsLogprobs } from '@/lib/chat/options'
import { buildPrompt, promptText } from '@/lib/chat/prompt'
import { type ChatCompletionRequest, KNOWN_FIELDS } from '@/lib/chat/schema'
import { boundOf, type UsageBounds } from '@/lib/chat/usage'
import type { RequestContext } from '@/lib/core/context'
import { ApiError } from '@/lib/core/errors'
import { newId } from '@/lib/core/ids'
import type { ChatRequest, ReasoningEffort } from '@/lib/engines/engine'
import { chatEngine } from '@/lib/engines/registry'
import type { Model } from '@/lib/models/model'
import { fallbacksOf, resolveModel } from '@/lib/models/resolve'
import { parseModelName } from '@/lib/models/suffix'

/** Output that one hold covers; long answers take more as they go. */
export const STRETCH_TOKENS = 4096
/** An answer that cannot even have this many tokens is not worth beginning. */
const LEAST_OUTPUT_TOKENS = 16
/** Our count of a prompt is an estimate: a hold covers a fifth more. */
const MARGIN = 1.2
/** A prompt whose estimate is this many times the context cannot fit, whatever the tokenizer. */
const HOPELESS = 2

export type ChatWork = {
  id: string
  /** Unix seconds. */
  created: number
  /** The model that was asked for, then those to try when it cannot serve. */
  models: Model[]
  request: Omit<ChatRequest, 'model'>
  options: ChatOptions
  isStreaming: boolean
  includesUsage: boolean
  bounds: UsageBounds
}

/** A chat request and its caller → what will run, checked against the model, and the most that it can cost. */
export function quoteChat(body: ChatCompletionRequest, caller: Caller, context: RequestContext): Quote<ChatWork> {
  const { base, parameters } = parseModelName(body.model)
  const model = resolveModel(base, { type: 'text', caller, context })
  const options = effectiveOptions({ ...body.service_parameters, ...parameters })
  const messages = assertSupported(body, model, options)
  const models = [model, ...fallbacksOf(model, caller)]

  const prompt = buildPrompt(messages, { includesServicePrompt: options.includesServicePrompt })
  const text = promptText(prompt)
  const tools = body.tools?.filter((tool) => tool.type === 'function')
  const inputBytes = Buffer.byteLength(text) + (tools?.length ? Buffer.byteLength(JSON.stringify(tools)) : 0)
  const inputTokens = chatEngine(model.engine).countTokens(text) + Math.ceil((inputBytes - Buffer.byteLength(text)) / 3)
  if (inputTokens > model.contextTokens * HOPELESS) throw contextOverflow(model)

  const n = body.n ?? 1
  const id = newId('chatcmpl')
  const maxTokens = answerBound(body, model, inputTokens)
  const heldInput = Math.ceil(inputTokens * MARGIN)
  return {
    requestId: id,
    model,
    amount: boundOf(models, heldInput, Math.min(maxTokens, STRETCH_TOKENS) * n),
    minimum: boundOf(models, heldInput, Math.min(maxTokens, LEAST_OUTPUT_TOKENS) * n),
    work: {
      id,
      created: Math.floor(Date.now() / 1000),
      models,
      request: {
        messages: prompt,
        sampling: samplingOf(body),
        n,
        maxTokens,
        stop: [body.stop ?? []].flat().filter((text) => text !== ''),
        stopTokenIds: body.stop_token_ids,
        logprobs: wantsLogprobs(body) ? { top: body.top_logprobs ?? 0 } : undefined,
        tools: tools?.length ? tools : undefined,
        toolChoice: tools?.length ? (body.tool_choice ?? 'auto') : undefined,
        parallelToolCalls: body.parallel_tool_calls,
        responseFormat: responseFormatOf(body),
        reasoning: reasoningOf(body, options),
        verbosity: body.verbosity ?? body.text?.verbosity,
        // Bound to the account: equal keys of two callers never share a cache (contract, chat.md 10).
        cacheKey: body.prompt_cache_key === undefined ? undefined : `${caller.accountId}:${body.prompt_cache_key}`,
        cacheRetention: body.prompt_cache_retention,
        extra: Object.fromEntries(Object.entries(body).filter(([name]) => !KNOWN_FIELDS.has(name))),
      },
      options,
      isStreaming: body.stream === true,
      includesUsage: body.stream_options?.include_usage !== false,
      bounds: { inputTokens, inputBytes, messages: prompt.length, maxOutputTokens: maxTokens * n },
    },
  }
}

/**
 * `max_completion_tokens` wins; `max_tokens` of 0 or less is ignored; the model's own maximum bounds both, and so does what
 * the prompt leaves of the context: many servers refuse a request whose two parts do not fit together.
 */
function answerBound(body: ChatCompletionRequest, model: Model, inputTokens: number): number {
  const legacy = body.max_tokens !== undefined && body.max_tokens > 0 ? body.max_tokens : undefined
  const asked = body.max_completion_tokens ?? legacy ?? model.maxCompletionTokens
  const left = Math.max(LEAST_OUTPUT_TOKENS, model.contextTokens - inputTokens)
  return Math.min(asked, model.maxCompletionTokens, left)
}

function samplingOf(body: ChatCompletionRequest): ChatRequest['sampling'] {
  return {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    minP: body.min_p,
    minTemperature: body.min_temp,
    maxTemperature: body.max_temp,
    frequencyPenalty: body.frequency_penalty,
    presencePenalty: body.presence_penalty,
    repetitionPenalty: body.repetition_penalty,
    seed: body.seed,
  }
}

/** The schema stands in `json_schema.schema`; some clients send it as `json_schema` itself (contract, chat.md 6). */
function responseFormatOf({ response_format: format }: ChatCompletionRequest): ChatRequest['responseFormat'] {
  if (format?.type !== 'json_schema') return format
  const { schema, name, strict, description } = format.json_schema
  const isWrapped = typeof schema === 'object' && schema !== null && !Array.isArray(schema)
  return {
    type: 'json_schema',
    json_schema: {
      name: typeof name === 'string' ? name : 'answer',
      schema: isWrapped ? (schema as Record<string, unknown>) : format.json_schema,
      strict: typeof strict === 'boolean' ? strict : undefined,
      description: typeof description === 'string' ? description : undefined,
    },
  }
}

function reasoningOf(body: ChatCompletionRequest, options: ChatOptions): ChatRequest['reasoning'] {
  const effort: ReasoningEffort | undefined = body.reasoning_effort ?? body.reasoning?.effort
  // `enabled: false` is ignored when an effort is given (contract, chat.md 1).
  const isOff = options.disablesThinking || (body.reasoning?.enabled === false && effort === undefined)
  if (!isOff && effort === undefined && body.reasoning?.summary === undefined) return undefined
  return { effort: isOff ? 'none' : effort, summary: body.reasoning?.summary, isEnabled: isOff ? false : undefined }
}

function contextOverflow(model: Model): ApiError {
  return new ApiError(
    'context_length_exceeded',
    `The conversation is longer than the ${model.contextTokens} tokens that ${model.id} can read. Shorten it or choose a model with a longer context.`,
  )
}
