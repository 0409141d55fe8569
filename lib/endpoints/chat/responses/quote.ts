import 'server-only'
import { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { hex } from '@/lib/contract/ids'
import type { ResponsesRequest, ResponsesTool } from '@/lib/contract/responses.schema'
import { type ChatWork, quoteChat } from '@/lib/endpoints/chat/quote'
import { conversationOf, FIELD_PLACES, inCallersTerms, type Places } from '@/lib/endpoints/chat/responses/conversation'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import { flatten } from '@/lib/pipeline/body'
import type { Quote } from '@/lib/pipeline/metered'
import { withoutSuffix } from '@/lib/services/models/suffix'

export type ResponseWork = ChatWork & {
  places: Places
  givesSealedThoughts: boolean
}

const SEALED_THOUGHTS = 'reasoning.encrypted_content'

export async function quoteResponse(
  body: ResponsesRequest,
  caller: Caller,
  context: RequestContext,
): Promise<Quote<ResponseWork>> {
  const { request, places } = toChatRequest(body)
  const quote = await quoteChat(request, caller, context).catch((error) => {
    throw inCallersTerms(error, places)
  })
  const id = `resp_${hex(12)}`
  const givesSealedThoughts = body.include?.includes(SEALED_THOUGHTS) === true
  return { ...quote, requestId: id, work: { ...quote.work, id, places, givesSealedThoughts } }
}

/**
 * Converts the request to a chat request, validated by the chat's own schema.
 *
 * @throws ApiError INVALID_REQUEST naming the place as the caller wrote it.
 */
export function toChatRequest(body: ResponsesRequest): { request: ChatCompletionRequest; places: Places } {
  const places: Places = new Map(FIELD_PLACES)
  const chat = chatBody(body, places)
  if (chat.messages.length === 0) throw invalidField(['input'], 'holds no message: the items that it has are ignored')
  const parsed = ChatCompletionRequest.safeParse(chat)
  if (parsed.success) return { request: parsed.data, places }
  const fault = new ApiError('INVALID_REQUEST', 'Invalid request parameters', { issues: flatten(parsed.error) })
  throw inCallersTerms(fault, places)
}

function chatBody(body: ResponsesRequest, places: Places) {
  return {
    // A suffix has an effect on chat completions alone (contract, chat.md 4).
    model: withoutSuffix(body.model),
    messages: conversationOf(body, places),
    stream: body.stream,
    max_completion_tokens: body.max_output_tokens,
    temperature: body.temperature,
    top_p: body.top_p,
    reasoning: body.reasoning,
    ...toolsOf(body, places),
    // Calls at once are the default: said aloud, they would not go together with a format.
    parallel_tool_calls: body.parallel_tool_calls === false ? false : undefined,
    response_format: formatOf(body),
    verbosity: body.text?.verbosity,
    prompt_cache_key: body.prompt_cache_key,
    service_parameters: { ...body.service_parameters, ...searchOf(body) },
  }
}

type FunctionTool = Extract<ResponsesTool, { name: string } | { function: object }>

const isFunction = (tool: ResponsesTool): tool is FunctionTool => tool.type === 'function'

function toolsOf({ tools = [], tool_choice: choice }: ResponsesRequest, places: Places): object {
  const functions = tools.filter(isFunction).map((tool) => {
    if (tool.function) return tool
    const { type, function: _, ...definition } = tool
    return { type, function: definition }
  })
  if (functions.length > 0) return { tools: functions, tool_choice: choiceOf(choice, places) }
  // With other tools alone, `required` is about those; a function by name is one that there is not.
  const isAboutOthers = tools.length > 0 && typeof choice !== 'object'
  return isAboutOthers ? {} : { tool_choice: choiceOf(choice, places) }
}

function choiceOf(choice: ResponsesRequest['tool_choice'], places: Places): object | string | undefined {
  if (typeof choice !== 'object' || choice.function) return choice
  places.set('tool_choice.function', ['tool_choice'])
  return { type: 'function', function: { name: choice.name } }
}

/**
 * `web_search` forces the service's search; a listed tool leaves it to the model unless the caller said otherwise;
 * `tool_choice: none` disables both.
 */
function searchOf({ tools = [], tool_choice: choice, web_search, service_parameters }: ResponsesRequest): object {
  const types = new Set(choice === 'none' ? [] : tools.map(({ type }) => type))
  const x = types.has('x_search') ? { enable_x_search: true } : {}
  if (web_search) return { ...x, enable_web_search: 'on' }
  const isOffered = types.has('web_search') || types.has('web_search_preview')
  if (!isOffered || service_parameters?.enable_web_search !== undefined) return x
  const isTheOnlyOne = !types.has('function') && !types.has('x_search')
  return { ...x, enable_web_search: choice === 'required' && isTheOnlyOne ? 'on' : 'auto' }
}

function formatOf({ text }: ResponsesRequest): object | undefined {
  if (text?.format?.type !== 'json_schema') return text?.format
  const { type, ...schema } = text.format
  return { type, json_schema: schema }
}
