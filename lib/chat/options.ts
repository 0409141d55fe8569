import type { TextMessage } from '@/lib/chat/prompt'
import type { ChatCompletionRequest, ServiceParameters, ServiceParametersEcho } from '@/lib/chat/schema'
import { invalidField } from '@/lib/core/errors'
import type { Model } from '@/lib/models/model'

/** `service_parameters` and the model name's suffix, joined: what takes effect, is priced and is echoed. */
export type ChatOptions = {
  stripsThinking: boolean
  disablesThinking: boolean
  includesServicePrompt: boolean
  echo: ServiceParametersEcho
}

/** The options that take effect; a suffix was laid over the body's own before. */
export function effectiveOptions(parameters: Partial<ServiceParameters>): ChatOptions {
  assertBuilt(parameters)
  const echo: ServiceParametersEcho = {
    enable_e2ee: false,
    enable_web_citations: parameters.enable_web_citations ?? false,
    enable_web_scraping: false,
    enable_web_search: 'off',
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
    echo,
  }
}

/** Options whose work does not exist yet are refused by name: a search that silently does not happen helps nobody. */
function assertBuilt(parameters: Partial<ServiceParameters>): void {
  const refuse = (field: string) => {
    throw invalidField(['service_parameters', field], `${field} is not available on this server yet; leave it out.`)
  }
  if (parameters.character_slug !== undefined) refuse('character_slug')
  if (parameters.enable_web_search !== undefined && parameters.enable_web_search !== 'off') refuse('enable_web_search')
  if (parameters.enable_web_scraping) refuse('enable_web_scraping')
}

/**
 * What the chosen model can do, asked of it before anything runs.
 *
 * @returns the messages, whose parts are all text.
 * @throws ApiError INVALID_REQUEST naming the field, and what the model lacks.
 */
export function assertSupported(body: ChatCompletionRequest, model: Model, options: ChatOptions): TextMessage[] {
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
  if (body.response_format && body.response_format.type !== 'text' && body.tools?.length && body.parallel_tool_calls) {
    throw invalidField(['parallel_tool_calls'], 'cannot be combined with a JSON response_format')
  }
  return assertText(body.messages)
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

const MEDIA = { image_url: 'images', input_audio: 'audio', video_url: 'video', file: 'files' } as const

/** Media and files are refused by name until this server can read them. */
function assertText(messages: ChatCompletionRequest['messages']): TextMessage[] {
  messages.forEach((message, index) => {
    if (message.role !== 'user' || typeof message.content === 'string') return
    message.content.forEach((part, at) => {
      if (part.type === 'text') return
      const path = ['messages', index, 'content', at, 'type']
      throw invalidField(path, `This server cannot read ${MEDIA[part.type]} yet; send text.`)
    })
  })
  // Every part that is not text was refused above.
  return messages as TextMessage[]
}
