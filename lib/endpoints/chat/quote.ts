import 'server-only'
import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { ApiError } from '@/lib/contract/errors'
import {
  type Attachment,
  type MediaRoutes,
  mediaRoutes,
  planAttachments,
  takesSameMedia,
} from '@/lib/endpoints/chat/attachments'
import {
  askedOutput,
  assertSupported,
  buildPrompt,
  type ChatOptions,
  effectiveOptions,
  engineRequest,
  type ReadMessage,
  wantsLogprobs,
} from '@/lib/endpoints/chat/engine-request'
import { holdAmounts, type Preparation } from '@/lib/endpoints/chat/price'
import { measure, type UsageBounds } from '@/lib/endpoints/chat/usage'
import { planWeb, type WebPlan } from '@/lib/endpoints/chat/web-plan'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { type CharacterPrompt, characterFor } from '@/lib/services/characters/catalogue'
import type { ChatRequest } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import type { Model } from '@/lib/services/models/model'
import { assistsOf, fallbacksOf, resolveModel } from '@/lib/services/models/resolve'
import { parseModelName } from '@/lib/services/models/suffix'

export type ChatWork = {
  id: string
  created: number
  models: Model[]
  request: Omit<ChatRequest, 'model'>
  outputTokens?: number
  options: ChatOptions
  character?: CharacterPrompt
  preparation?: Preparation
  isStreaming: boolean
  includesUsage: boolean
  bounds: UsageBounds
}

/**
 * Quotes a chat request: what will run, checked against the model, and its highest cost. Media are bounded by size here
 * and read after the hold.
 */
export async function quoteChat(
  body: ChatCompletionRequest,
  caller: Caller,
  context: RequestContext,
): Promise<Quote<ChatWork>> {
  const { base, parameters } = parseModelName(body.model)
  const model = resolveModel(base, { type: 'text', caller, context })
  const options = effectiveOptions({ ...body.service_parameters, ...parameters }, model)
  assertSupported(body, model, options)
  const routes = mediaRoutes(model, assistsOf(model, caller))
  const attachments = planAttachments(body.messages, model, routes)
  const web = webPlanOf(body, model, options)
  const preparation = preparationOf(body, attachments, routes, web)
  const character = await characterOf(options, caller)
  const models = [model, ...fallbacksOf(model, caller).filter((one) => takesSameMedia(attachments, routes, one))]

  const messages = buildPrompt(textOnly(body.messages), {
    ...options,
    servicePrompt: model.servicePrompt,
    character,
  })
  const request = engineRequest(body, options, caller.accountId)
  const outputTokens = askedOutput(body)
  const { bounds, ...bound } = measure(messages, model, { ...request, outputTokens })
  const id = requestIdOf(context, caller, 'chatcmpl')
  return {
    requestId: id,
    model,
    ...holdAmounts(models, bounds.inputTokens, bound.maxTokens, request.n, preparation),
    work: {
      id,
      created: Math.floor(Date.now() / 1000),
      models,
      request: {
        ...request,
        messages,
        ...bound,
        nativeSearch: web.mode === 'native' ? { sources: ['web', 'x'], maxResults: web.maxResults } : undefined,
      },
      outputTokens,
      options,
      character,
      preparation,
      isStreaming: body.stream === true,
      includesUsage: body.stream_options?.include_usage !== false,
      bounds,
    },
  }
}

function webPlanOf(body: ChatCompletionRequest, model: Model, options: ChatOptions): WebPlan {
  const { enable_web_search, enable_web_scraping } = options.echo
  // What was found is to come before the first word, so whether to search is decided before the model speaks.
  const isToComeFirst = options.echo.include_search_results_in_stream || options.echo.return_search_results_as_documents
  const choosesFreely = body.tool_choice === undefined || body.tool_choice === 'auto'
  const writesText = body.response_format === undefined || body.response_format.type === 'text'
  return planWeb({
    parameters: { enable_web_search, enable_web_scraping, enable_x_search: options.wantsNativeSearch },
    messages: body.messages,
    model,
    // The form in which vendors search knows none of these.
    canSearchNatively: (body.n ?? 1) === 1 && !body.stop?.length && !wantsLogprobs(body),
    canCallTools:
      model.capabilities.supportsFunctionCalling === true &&
      chatEngine(model.engine).callsToolsUnasked !== false &&
      (body.n ?? 1) === 1 &&
      choosesFreely &&
      writesText &&
      !isToComeFirst,
  })
}

function preparationOf(
  { messages }: ChatCompletionRequest,
  attachments: Attachment[],
  routes: MediaRoutes,
  web: WebPlan,
): Preparation | undefined {
  const isAllText = messages.every(({ content }) => !Array.isArray(content) || content.every(isText))
  if (isAllText && web.mode === 'none') return undefined
  return { messages, attachments, routes, web }
}

const isText = ({ type }: { type: string }): boolean => type === 'text'

function textOnly(messages: ChatCompletionRequest['messages']): ReadMessage[] {
  return messages.map((message): ReadMessage => {
    if (message.role !== 'user') return message
    if (typeof message.content === 'string') return { ...message, content: message.content }
    return { ...message, content: message.content.filter((part) => part.type === 'text') }
  })
}

async function characterOf({ characterSlug }: ChatOptions, caller: Caller): Promise<CharacterPrompt | undefined> {
  if (characterSlug === undefined) return undefined
  const character = await characterFor(characterSlug, caller.accountId)
  if (character) return character
  throw new ApiError('CHARACTER_NOT_FOUND', 'There is no public character of that name. GET /characters lists them.')
}
