import 'server-only'
import type { ChatRequest, ChatTool } from '@/lib/services/engines/engine'
import { AnthropicEvents } from '@/lib/services/engines/upstream/chat/anthropic/events'
import { hasUnsignedCalls, messagesOf, systemOf } from '@/lib/services/engines/upstream/chat/anthropic/messages'
import { calledTools, splitSystem, type Turn } from '@/lib/services/engines/upstream/chat/native/conversation'
import { type Features, type NativeForm, refuseFields } from '@/lib/services/engines/upstream/chat/native/form'
import { ANTHROPIC_VERSION } from '@/lib/services/engines/upstream/kinds'
import { isWireObject, type WireObject } from '@/lib/services/engines/upstream/wire-value'

const MIN_BUDGET_TOKENS = 1_024
const MAX_BUDGET_TOKENS = 128_000
/** Shares of the output that thinking may take on models that want a number. Source: openrouter.ai, "Reasoning tokens". */
const BUDGET_SHARES = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.95, max: 0.95 }

/** The tool whose arguments are the answer, where a model has no JSON output of its own. */
const ANSWER_TOOL = 'json_answer'

/** Matches what a model refuses in general. A fault of one message or tool, whose names are the caller's, is none. */
const ofModel = (names: string): RegExp => new RegExp(`^(?!.*(messages|tools)\\.\\d).*(${names})`, 'is')

/**
 * The Messages API. `seed`, `verbosity` and cache keys have no place in it and are hints, so they are left out.
 * Source: platform.claude.com, "Messages", and the types of anthropic-sdk-typescript 0.120.
 */
export const anthropicForm: NativeForm = {
  headers: ['content-type', 'application/json', 'accept', 'text/event-stream', ...ANTHROPIC_VERSION],
  path: () => '/messages',
  body: messagesBody,
  decoder: (request, features) => new AnthropicEvents(isAnsweredByTool(request, features) ? ANSWER_TOOL : undefined),
  refusals: [
    { feature: 'signatures', pattern: /signature|thinking. blocks/i, isOfRequest: true },
    { feature: 'top_p', pattern: ofModel('cannot both') },
    { feature: 'high efforts', pattern: ofModel('effort') },
    { feature: 'effort', pattern: ofModel('effort') },
    { feature: 'adaptive', pattern: ofModel('adaptive') },
    { feature: 'disabled', pattern: ofModel('disabled') },
    { feature: 'sampling', pattern: ofModel('(temperature|top_p|top_k).{0,60}(deprecat|support|permit|may only)') },
    { feature: 'sampling', pattern: ofModel('support.{0,60}(temperature|top_p|top_k)') },
    { feature: 'format', pattern: /(output.?(config|format)|structured).{0,80}not (be )?(support|permit)/i },
    { feature: 'format', pattern: /not (be )?support.{0,80}(output.?(config|format)|structured)/i },
    { feature: 'format', pattern: /output.?(config|format)|schema|grammar/i, isOfRequest: true },
    { feature: 'strict', pattern: /strict: extra inputs are not permitted/i },
    { feature: 'strict', pattern: /strict|schema|grammar/i, isOfRequest: true },
  ],
  roomIn(message) {
    const [, input, limit] = /(\d{1,9}) \+ \d{1,9} > (\d{1,9})/.exec(message) ?? []
    return input === undefined ? undefined : Number(limit) - Number(input)
  },
}

function messagesBody(request: ChatRequest, features: Features): object {
  const { sampling, responseFormat, nativeSearch } = request
  refuseFields({
    n: request.n > 1,
    logprobs: request.logprobs !== undefined,
    stop_token_ids: (request.stopTokenIds?.length ?? 0) > 0,
    frequency_penalty: (sampling.frequencyPenalty ?? 0) !== 0,
    presence_penalty: (sampling.presencePenalty ?? 0) !== 0,
    repetition_penalty: (sampling.repetitionPenalty ?? 1) !== 1,
    min_p: (sampling.minP ?? 0) !== 0,
    enable_x_search: nativeSearch !== undefined,
  })
  const { system, turns } = splitSystem(request.messages, { wantsJsonObject: responseFormat?.type === 'json_object' })
  const { tools, choice } = toolsOf(request, turns, features)
  const { thinking, effort } = thinkingOf(request, turns, features, { isForced: choice === 'any' || choice === 'tool' })
  const format = formatOf(request, features)
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    system: system.length > 0 ? systemOf(system) : undefined,
    messages: messagesOf(turns, features),
    ...tools,
    ...samplingOf(request, features, thinking !== undefined && thinking.type !== 'disabled'),
    stop_sequences: request.stop.length > 0 ? request.stop : undefined,
    thinking,
    output_config: effort || format ? { effort, format } : undefined,
  }
}

function samplingOf({ sampling }: ChatRequest, features: Features, isThinking: boolean): object {
  const { temperature, topP, topK } = sampling
  const isPlain = temperature === undefined && topP === undefined && !topK
  // While a model thinks, its sampling is fixed.
  if (isPlain || isThinking || !features.use('sampling')) return {}
  const isBoth = temperature !== undefined && topP !== undefined
  return {
    temperature: temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: isBoth && !features.use('top_p') ? undefined : topP,
    top_k: topK || undefined,
  }
}

type Thinking = { type: 'adaptive' | 'enabled' | 'disabled'; display?: 'summarized'; budget_tokens?: number }

/**
 * Current models choose how much they think by an effort, older ones take a budget of tokens. Thinking does not go
 * together with a forced call or the beginning of an answer, nor, with a budget, with calls whose thoughts were not sent
 * back.
 */
function thinkingOf(
  { reasoning, maxTokens }: ChatRequest,
  turns: Turn[],
  features: Features,
  { isForced }: { isForced: boolean },
): { thinking?: Thinking; effort?: string } {
  if (reasoning === undefined) return {}
  const { effort, isEnabled } = reasoning
  if (isEnabled === false || effort === 'none') {
    return features.use('disabled') ? { thinking: { type: 'disabled' } } : {}
  }
  if (isForced || turns.at(-1)?.role === 'assistant') return {}
  if (features.use('adaptive')) {
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort: effort && effortOf(effort, features) }
  }
  if (maxTokens <= MIN_BUDGET_TOKENS || hasUnsignedCalls(turns, features)) return {}
  const share = Math.floor(maxTokens * BUDGET_SHARES[effort ?? 'medium'])
  const budget = Math.min(Math.max(share, MIN_BUDGET_TOKENS), MAX_BUDGET_TOKENS)
  return { thinking: { type: 'enabled', budget_tokens: budget } }
}

function effortOf(effort: keyof typeof BUDGET_SHARES, features: Features): string | undefined {
  if ((effort === 'xhigh' || effort === 'max') && features.use('high efforts')) return effort
  if (!features.use('effort')) return undefined
  if (effort === 'minimal') return 'low'
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort
}

const isAnsweredByTool = ({ responseFormat }: ChatRequest, features: Features): boolean =>
  responseFormat?.type === 'json_schema' && !features.has('format')

function formatOf({ responseFormat }: ChatRequest, features: Features): object | undefined {
  if (responseFormat?.type !== 'json_schema' || !features.use('format')) return undefined
  return { type: 'json_schema', schema: closedSchema(responseFormat.json_schema.schema) }
}

type ToolChoice = { type: 'auto' | 'any' | 'none' | 'tool'; name?: string; disable_parallel_tool_use?: true }

type WrittenTools = { tools?: { tools: object[]; tool_choice?: ToolChoice }; choice?: ToolChoice['type'] }

function toolsOf(request: ChatRequest, turns: Turn[], features: Features): WrittenTools {
  const { tools = [], toolChoice, parallelToolCalls, responseFormat } = request
  const answer = isAnsweredByTool(request, features) && responseFormat?.type === 'json_schema' && responseFormat
  if (answer) {
    const { schema, description = 'Gives the answer.' } = answer.json_schema
    const others = toolChoice === 'none' ? [] : tools.map((tool) => toolOf(tool, features))
    const choice = others.length > 0 ? ({ type: 'any' } as const) : ({ type: 'tool', name: ANSWER_TOOL } as const)
    const answerTool = { name: ANSWER_TOOL, description, input_schema: { ...schema, type: 'object' } }
    return written([...others, answerTool], choice, false)
  }
  const declared = tools.length > 0 ? tools : calledTools(turns)
  if (declared.length === 0) return {}
  const choice = tools.length > 0 ? choiceOf(toolChoice) : ({ type: 'none' } as const)
  const blocks = declared.map((tool) => toolOf(tool, features))
  return written(blocks, choice, parallelToolCalls)
}

function written(tools: object[], choice: ToolChoice | undefined, isParallel?: boolean): WrittenTools {
  const isSingle = isParallel === false && choice?.type !== 'none'
  const single: ToolChoice = { type: 'auto', ...choice, disable_parallel_tool_use: true }
  return { tools: { tools, tool_choice: isSingle ? single : choice }, choice: choice?.type }
}

function choiceOf(choice: ChatRequest['toolChoice']): ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (typeof choice === 'object') return { type: 'tool', name: choice.function.name }
  return { type: choice === 'required' ? 'any' : choice }
}

function toolOf({ function: { name, description, parameters, strict } }: ChatTool, features: Features): WireObject {
  return {
    name,
    description,
    input_schema: { properties: {}, ...parameters, type: 'object' },
    strict: strict && features.use('strict') ? true : undefined,
  }
}

const MAX_DEPTH = 64
/** Keywords whose values are schemas by name, lists of schemas, and one schema. */
const BY_NAME = ['properties', '$defs', 'definitions']
const LISTS = ['anyOf', 'allOf', 'oneOf']
const AS_THEY_ARE = ['$ref', 'type', 'title', 'description', 'enum', 'const', 'default', 'required']
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/**
 * Writes a JSON schema in the part of the language that structured output knows: objects are closed, and limits on
 * numbers, lengths and patterns become words of the description. Source: anthropic-sdk-typescript,
 * `transform-json-schema`.
 */
function closedSchema(schema: unknown, depth = 0): unknown {
  if (!isWireObject(schema) || depth > MAX_DEPTH) return schema
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref }
  const closed: WireObject = {}
  const limits: string[] = []
  for (const [name, value] of Object.entries(schema)) {
    if (AS_THEY_ARE.includes(name)) closed[name] = value
    else if (BY_NAME.includes(name) && isWireObject(value)) {
      closed[name] = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closedSchema(one, depth + 1)]))
    } else if (LISTS.includes(name) && Array.isArray(value)) {
      closed[name === 'oneOf' ? 'anyOf' : name] = value.map((one) => closedSchema(one, depth + 1))
    } else if (name === 'items') closed.items = closedSchema(value, depth + 1)
    else if (isKnownLimit(name, value)) closed[name] = value
    else if (name !== 'additionalProperties' && !name.startsWith('$')) limits.push(`${name}: ${JSON.stringify(value)}`)
  }
  if (schema.type === 'object' || isWireObject(schema.properties)) closed.additionalProperties = false
  if (limits.length > 0)
    closed.description = [closed.description, `{${limits.join(', ')}}`].filter(Boolean).join('\n\n')
  return closed
}

const isKnownLimit = (name: string, value: unknown): boolean =>
  (name === 'format' && FORMATS.has(String(value))) || (name === 'minItems' && (value === 0 || value === 1))
