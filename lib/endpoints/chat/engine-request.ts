import {
  type ChatCompletionRequest,
  KNOWN_FIELDS,
  type ServiceParameters,
  type ServiceParametersEcho,
} from '@/lib/contract/chat.schema'
import { invalidField } from '@/lib/contract/errors'
import type { CharacterPrompt } from '@/lib/services/characters/catalogue'
import {
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  contentText,
  type ReasoningEffort,
} from '@/lib/services/engines/engine'
import type { Model } from '@/lib/services/models/model'

export const SERVICE_SYSTEM_PROMPT =
  'You are a helpful assistant. Answer plainly and in the language of the question. Say so when you do not know.'

export type ChatOptions = {
  stripsThinking: boolean
  disablesThinking: boolean
  includesServicePrompt: boolean
  characterSlug?: string
  wantsNativeSearch: boolean
  echo: ServiceParametersEcho
}

export function effectiveOptions(parameters: Partial<ServiceParameters>, model: Model): ChatOptions {
  const canUseWeb = model.capabilities.supportsWebSearch === true
  const echo: ServiceParametersEcho = {
    ...(parameters.character_slug === undefined ? {} : { character_slug: parameters.character_slug }),
    enable_e2ee: false,
    enable_web_citations: parameters.enable_web_citations ?? false,
    enable_web_scraping: canUseWeb && (parameters.enable_web_scraping ?? false),
    enable_web_search: canUseWeb ? (parameters.enable_web_search ?? 'off') : 'off',
    include_service_system_prompt: parameters.include_service_system_prompt ?? true,
    include_search_results_in_stream: parameters.include_search_results_in_stream ?? false,
    return_search_results_as_documents: parameters.return_search_results_as_documents ?? false,
    strip_thinking_response: parameters.strip_thinking_response ?? false,
    disable_thinking: parameters.disable_thinking ?? false,
    web_search_citations: [],
  }
  return {
    stripsThinking: echo.strip_thinking_response || echo.disable_thinking,
    disablesThinking: echo.disable_thinking,
    includesServicePrompt: echo.include_service_system_prompt,
    characterSlug: parameters.character_slug,
    wantsNativeSearch: model.capabilities.supportsXSearch === true && parameters.enable_x_search === true,
    echo,
  }
}

/**
 * Checks the request against the model before anything runs; `attachments.ts` checks media.
 *
 * @throws ApiError INVALID_REQUEST naming the field and what the model lacks.
 */
export function assertSupported(body: ChatCompletionRequest, model: Model, options: ChatOptions): void {
  const { capabilities } = model
  const lacks = (path: (string | number)[], what: string) => {
    throw invalidField(path, `${model.id} does not support ${what}; choose another model.`)
  }
  if (body.tools?.some((tool) => tool.type === 'function') && !capabilities.supportsFunctionCalling)
    lacks(['tools'], 'tools')
  if (body.response_format && body.response_format.type !== 'text' && !capabilities.supportsResponseSchema) {
    lacks(['response_format'], 'structured output')
  }
  if (wantsLogprobs(body) && !capabilities.supportsLogProbs) lacks(['logprobs'], 'log probabilities')
  assertEffort(body, model, options)
  assertToolChoice(body)
  if (body.response_format && body.response_format.type !== 'text' && body.tools?.length && body.parallel_tool_calls) {
    throw invalidField(['parallel_tool_calls'], 'cannot be combined with a JSON response_format')
  }
}

/** `top_logprobs` alone asks for them too; `logprobs: false` beside it does not. */
export const wantsLogprobs = (body: ChatCompletionRequest): boolean =>
  body.logprobs ?? (body.top_logprobs !== undefined && body.top_logprobs > 0)

function assertEffort(body: ChatCompletionRequest, model: Model, options: ChatOptions): void {
  const effort = body.reasoning_effort ?? body.reasoning?.effort
  if (effort === undefined || effort === 'none' || options.disablesThinking) return
  const choices = model.capabilities.reasoningEffortOptions ?? []
  if (choices.includes(effort)) return
  const path = body.reasoning_effort === undefined ? ['reasoning', 'effort'] : ['reasoning_effort']
  const offer =
    choices.length === 0 ? `${model.id} takes no reasoning effort` : `${model.id} takes one of: ${choices.join(', ')}`
  throw invalidField(path, `${effort} is not possible; ${offer}.`)
}

function assertToolChoice({ tools, tool_choice: choice }: ChatCompletionRequest): void {
  if (choice === undefined || choice === 'auto' || choice === 'none') return
  const names = (tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool.function.name] : []))
  if (names.length === 0) throw invalidField(['tool_choice'], 'asks for a tool, and `tools` holds no function')
  if (choice === 'required' || names.includes(choice.function.name)) return
  throw invalidField(['tool_choice', 'function', 'name'], 'names no function of `tools`')
}

type Message = ChatCompletionRequest['messages'][number]
export type ReadMessage =
  | Exclude<Message, { role: 'user' }>
  | (Omit<Extract<Message, { role: 'user' }>, 'content'> & { content: string | ContentPart[] })

type PromptOptions = {
  includesServicePrompt: boolean
  servicePrompt?: string
  character?: CharacterPrompt
}

/**
 * Builds the conversation for an engine: the service's prompt, the character's and the caller's in one system message
 * (many chat templates take one, and only first). A character with a complete prompt replaces the service's. Empty
 * assistant turns are dropped. Source: API contract, chat.md 2, and characters.md "Effect in chat".
 */
export function buildPrompt(
  messages: ReadMessage[],
  { includesServicePrompt, servicePrompt = SERVICE_SYSTEM_PROMPT, character }: PromptOptions,
): ChatMessage[] {
  const prompt = messages.filter(saysSomething).map(toEngineMessage)
  const isServed = includesServicePrompt && !character?.replacesServicePrompt
  const ahead = [isServed ? servicePrompt : '', character?.systemPrompt ?? ''].filter((text) => text !== '')
  const [first, ...rest] = prompt
  const isSystem = first?.role === 'system' || first?.role === 'developer'
  const turns = [...(character?.context ?? []), ...(isSystem ? rest : prompt)]
  if (ahead.length === 0) return isSystem ? [first, ...turns] : turns
  const text = ahead.join('\n\n')
  if (!isSystem) return [{ role: 'system', content: text }, ...turns]
  const content =
    typeof first.content === 'string'
      ? `${text}\n\n${first.content}`
      : [{ type: 'text' as const, text: `${text}\n\n` }, ...first.content]
  return [{ ...first, content }, ...turns]
}

export function withFindings(messages: ReadMessage[], text: string): ReadMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const question = messages[at]
  if (question?.role !== 'user') return messages
  const content: ContentPart[] =
    typeof question.content === 'string' ? [{ type: 'text', text: question.content }] : question.content
  return messages.with(at, { ...question, content: [{ type: 'text', text: `${text}\n\n` }, ...content] })
}

function saysSomething(message: ReadMessage): boolean {
  if (message.role !== 'assistant') return true
  const hasText = typeof message.content === 'string' ? message.content !== '' : (message.content?.length ?? 0) > 0
  return hasText || (message.tool_calls?.length ?? 0) > 0
}

function toEngineMessage(message: ReadMessage): ChatMessage {
  const defined = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined))
  if (message.role === 'assistant' && message.content === undefined) defined.content = null
  // The filter above only removed what the type marks optional.
  return defined as ChatMessage
}

export function promptText(messages: ChatMessage[]): string {
  return messages.map(messageText).join('\n')
}

function messageText(message: ChatMessage): string {
  const content = contentText(message)
  if (message.role !== 'assistant' || !message.tool_calls) return content
  return `${content}${message.tool_calls.map((call) => call.function.name + call.function.arguments).join('')}`
}

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

/** Some clients send the schema as `json_schema` itself. Source: API contract, chat.md 6. */
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
