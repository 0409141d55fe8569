import type { ChatCompletionRequest, ServiceParameters, ServiceParametersEcho } from '@/lib/contract/chat.schema'
import { invalidField } from '@/lib/contract/errors'
import type { Model } from '@/lib/services/models/model'

/** `service_parameters` and the model name's suffix, joined: what takes effect, is priced and is echoed. */
export type ChatOptions = {
  stripsThinking: boolean
  disablesThinking: boolean
  includesServicePrompt: boolean
  characterSlug?: string
  /** Search on the platform of the model's own vendor; of effect on models that have it. */
  wantsNativeSearch: boolean
  echo: ServiceParametersEcho
}

/** The options that take effect on this model; a suffix was laid over the body's own before. */
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
 * What the chosen model can do, asked of it before anything runs. Media have a check of their own (`attachments.ts`).
 *
 * @throws ApiError INVALID_REQUEST naming the field, and what the model lacks.
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

/** A choice that can come to nothing is a slip: no engine could do what it says. */
function assertToolChoice({ tools, tool_choice: choice }: ChatCompletionRequest): void {
  if (choice === undefined || choice === 'auto' || choice === 'none') return
  const names = (tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool.function.name] : []))
  if (names.length === 0) throw invalidField(['tool_choice'], 'asks for a tool, and `tools` holds no function')
  if (choice === 'required' || names.includes(choice.function.name)) return
  throw invalidField(['tool_choice', 'function', 'name'], 'names no function of `tools`')
}
