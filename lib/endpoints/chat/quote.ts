import 'server-only'
import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { ApiError } from '@/lib/contract/errors'
import { MAX_AUDIO_SECONDS } from '@/lib/contract/limits'
import { nano, type Usd, ZERO } from '@/lib/contract/money'
import { type Attachment, planAttachments, takesSameMedia } from '@/lib/endpoints/chat/attachments'
import { measure } from '@/lib/endpoints/chat/bounds'
import {
  askedOutput,
  assertSupported,
  type ChatOptions,
  effectiveOptions,
  engineRequest,
  wantsLogprobs,
} from '@/lib/endpoints/chat/engine-request'
import { type MediaRoutes, mediaRoutes } from '@/lib/endpoints/chat/media-routes'
import { secondsAtMost, unreadTokens } from '@/lib/endpoints/chat/media-tokens'
import { boundOf } from '@/lib/endpoints/chat/price'
import { buildPrompt, type ReadMessage } from '@/lib/endpoints/chat/prompt'
import { describingBound, hearingLines } from '@/lib/endpoints/chat/read-attachments'
import type { UsageBounds } from '@/lib/endpoints/chat/usage'
import { boundOfWeb, planWeb, type WebPlan } from '@/lib/endpoints/chat/web'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { requestIdOf } from '@/lib/pipeline/request-id'
import { type CharacterPrompt, characterFor } from '@/lib/services/characters/catalogue'
import type { ChatRequest } from '@/lib/services/engines/engine'
import { chatEngine } from '@/lib/services/engines/registry'
import { priceOf } from '@/lib/services/ledger/meter'
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

export type Preparation = {
  messages: ChatCompletionRequest['messages']
  attachments: Attachment[]
  routes: MediaRoutes
  web: WebPlan
}

export function holdAmounts(
  models: Model[],
  inputTokens: number,
  maxTokens: number,
  n: number,
  preparation: Preparation | undefined,
): { amount: Usd; minimum: Usd } {
  const heldInput = Math.ceil(inputTokens * MARGIN)
  const minimum = boundOf(models, heldInput, Math.min(maxTokens, MIN_OUTPUT_TOKENS) * n)
  const output = Math.min(maxTokens, STRETCH_TOKENS) * n
  if (!preparation) return { amount: boundOf(models, heldInput, output), minimum }
  const unread = unreadTokens(preparation.attachments, preparation.routes, models[0]!)
  const sideCost = nano(priceOf(boundOfWeb(preparation.web)) + maxAttachmentCost(preparation))
  return {
    amount: nano(boundOf(models, heldInput + unread, output) + sideCost),
    minimum: nano(minimum + min(sideCost)),
  }
}

const min = (sideCost: Usd): Usd => (sideCost > 0n ? nano(1n) : ZERO)

function maxAttachmentCost({ attachments, routes }: Preparation): Usd {
  const { image, audio } = routes
  const looking = typeof image === 'object' ? describingBound(image) : ZERO
  const hearing = (seconds: number) =>
    typeof audio === 'object' ? priceOf(hearingLines(audio, Math.min(seconds, MAX_AUDIO_SECONDS))) : ZERO
  return attachments.reduce((sum, { content }) => {
    if (content.type === 'image_url') return nano(sum + looking)
    if (content.type === 'input_audio') return nano(sum + hearing(secondsAtMost(content.input_audio.data)))
    // A video's frames and sound, and pictures sent as files, are set aside one by one when they are known.
    return sum
  }, ZERO)
}

export const STRETCH_TOKENS = 4096
export const MIN_OUTPUT_TOKENS = 16
/** Our token count of a prompt is an estimate: a hold covers a fifth more. */
export const MARGIN = 1.2
