import { type ChatCompletionRequest, KNOWN_FIELDS } from '@/lib/contract/chat.schema'
import { type ChatOptions, wantsLogprobs } from '@/lib/endpoints/chat/options'
import type { ChatRequest, ReasoningEffort } from '@/lib/services/engines/engine'

/** Fields of a request as an engine takes them; the messages and the bound on the answer come from elsewhere. */
export function engineRequest(
  body: ChatCompletionRequest,
  options: ChatOptions,
  accountId: string,
): Omit<ChatRequest, 'model' | 'messages' | 'maxTokens' | 'bound'> {
  const tools = body.tools?.filter((tool) => tool.type === 'function')
  return {
    sampling: samplingOf(body),
    n: body.n ?? 1,
    stop: [body.stop ?? []].flat().filter((text) => text !== ''),
    stopTokenIds: body.stop_token_ids,
    logprobs: wantsLogprobs(body) ? { top: body.top_logprobs ?? 0 } : undefined,
    // Chunks of a stream have no place for them.
    promptLogprobs:
      body.prompt_logprobs === undefined || body.stream === true ? undefined : { top: body.prompt_logprobs },
    tools: tools?.length ? tools : undefined,
    toolChoice: tools?.length ? (body.tool_choice ?? 'auto') : undefined,
    parallelToolCalls: body.parallel_tool_calls,
    responseFormat: responseFormatOf(body),
    reasoning: reasoningOf(body, options),
    verbosity: body.verbosity ?? body.text?.verbosity,
    // Bound to the account: equal keys of two callers never share a cache (contract, chat.md 10).
    cacheKey: body.prompt_cache_key === undefined ? undefined : `${accountId}:${body.prompt_cache_key}`,
    cacheScope: accountId,
    cacheRetention: body.prompt_cache_retention,
    extra: Object.fromEntries(Object.entries(body).filter(([name]) => !KNOWN_FIELDS.has(name))),
  }
}

/** `max_completion_tokens` wins; `max_tokens` of 0 or less is ignored. Source: API contract, chat.md 1. */
export function askedOutput(body: ChatCompletionRequest): number | undefined {
  const legacy = body.max_tokens !== undefined && body.max_tokens > 0 ? body.max_tokens : undefined
  return body.max_completion_tokens ?? legacy
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
  const { summary, enabled } = body.reasoning ?? {}
  if (isOff) return { effort: 'none', summary, isEnabled: false }
  if (effort === undefined && summary === undefined && !enabled) return undefined
  return { effort, summary, isEnabled: enabled || undefined }
}
