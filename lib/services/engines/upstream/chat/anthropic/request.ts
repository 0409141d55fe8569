import 'server-only'
import {
  type ChatRequest,
  type ChatTool,
  type ContentPart,
  EngineError,
  type TextPart,
} from '@/lib/services/engines/engine'
import { AnthropicEvents, THINKING_FORMAT } from '@/lib/services/engines/upstream/chat/anthropic/events'
import {
  argumentsOf,
  calledTools,
  callsOf,
  type Features,
  mediaOf,
  type NativeForm,
  OPENING,
  refuseFields,
  splitSystem,
  type Turn,
  textParts,
} from '@/lib/services/engines/upstream/chat/native-form'
import { ANTHROPIC_VERSION } from '@/lib/services/engines/upstream/kinds'
import { isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

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

type Message = { role: 'user' | 'assistant'; content: WireObject[] }

const systemOf = (system: TextPart[]): WireObject[] => system.map(textBlock)

/** Writes turns as messages. Several of one role in a row, as the results of parallel calls are, become one message. */
function messagesOf(turns: Turn[], features: Features): Message[] {
  const messages: Message[] = []
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user'
    const content = blocksOf(turn, features)
    const last = messages.at(-1)
    if (content.length === 0) continue
    if (last?.role === role) last.content.push(...content)
    else messages.push({ role, content })
  }
  if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', content: [{ type: 'text', text: OPENING }] })
  trimEnd(messages.at(-1))
  return messages
}

/** An assistant's text that is to be continued must not end with a blank. */
function trimEnd(last: Message | undefined): void {
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined
  if (typeof block?.text === 'string') block.text = block.text.trimEnd()
}

function blocksOf(turn: Turn, features: Features): WireObject[] {
  if (turn.role === 'tool') return [resultBlock(turn)]
  if (turn.role === 'user') {
    return typeof turn.content === 'string' ? textParts(turn.content).map(textBlock) : turn.content.flatMap(partBlocks)
  }
  const said = textParts(turn.content).map(textBlock)
  const calls = callsOf(turn).map((call) => ({
    type: 'tool_use',
    id: toolId(call.id),
    name: call.function.name,
    input: argumentsOf(call),
  }))
  return [...withThoughts(said, thoughtsOf(turn, features)), ...calls]
}

const cacheOf = ({ cache_control: cache }: TextPart | ContentPart) => cache && { type: cache.type }

/** Drops the time to live: an hour is written at another price than the one that a model has. */
const textBlock = (part: TextPart): WireObject => ({ type: 'text', text: part.text, cache_control: cacheOf(part) })

function partBlocks(part: ContentPart): WireObject[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [textBlock(part)]
    case 'image_url':
      return [{ type: 'image', source: sourceOf(part.image_url.url), cache_control: cacheOf(part) }]
    case 'file':
      return [
        {
          type: 'document',
          source: sourceOf(part.file.file_data),
          title: part.file.filename,
          cache_control: cacheOf(part),
        },
      ]
    case 'input_audio':
      throw new EngineError('invalid-request', 'The model does not take audio. Leave it out, or choose another model.')
    case 'video_url':
      throw new EngineError('invalid-request', 'The model does not take video. Leave it out, or choose another model.')
  }
}

function sourceOf(url: string): WireObject {
  const media = mediaOf(url)
  return media ? { type: 'base64', media_type: media.mime, data: media.data } : { type: 'url', url }
}

function resultBlock(turn: Extract<Turn, { role: 'tool' }>): WireObject {
  const content = textParts(turn.content).map(textBlock)
  return {
    type: 'tool_result',
    tool_use_id: toolId(turn.tool_call_id),
    content: content.length > 0 ? content : undefined,
  }
}

/** Ids that other vendors made may hold characters that this one refuses. */
const toolId = (id: string): string => id.replace(/[^\w-]/g, '_')

type Thought = { index: number; block: WireObject }

/** Puts thoughts where they stood: their index counts all blocks of the answer, so a gap is where text was. */
function withThoughts(said: WireObject[], thoughts: Thought[]): WireObject[] {
  const blocks: WireObject[] = []
  const rest = [...said]
  for (const { index, block } of thoughts) {
    while (blocks.length < index && rest.length > 0) blocks.push(rest.shift() as WireObject)
    blocks.push(block)
  }
  return [...blocks, ...rest]
}

function thoughtsOf(turn: Turn, features: Features): Thought[] {
  if (turn.role !== 'assistant' || !features.has('signatures')) return []
  const { reasoning_details: details = [], reasoning_content: text, thought_signature: signature } = turn
  const thoughts = details.flatMap((detail, at) => {
    const block = thoughtBlock(detail)
    return block ? [{ index: typeof detail.index === 'number' ? detail.index : at, block }] : []
  })
  if (details.length === 0 && text && signature) {
    thoughts.push({ index: 0, block: { type: 'thinking', thinking: text, signature } })
  }
  if (thoughts.length > 0) features.use('signatures')
  return thoughts.sort((a, b) => a.index - b.index)
}

function thoughtBlock(detail: WireObject): WireObject | undefined {
  const { type, text, data, format } = detail
  const signature = textOrUndefined(detail.signature)
  if (type === 'reasoning.text' && signature !== undefined && (format ?? THINKING_FORMAT) === THINKING_FORMAT) {
    return { type: 'thinking', thinking: textOrUndefined(text) ?? '', signature }
  }
  if (type === 'reasoning.encrypted' && textOrUndefined(data) !== undefined && format === THINKING_FORMAT) {
    return { type: 'redacted_thinking', data }
  }
  return undefined
}

/** Tells whether the answer under way has calls whose thoughts are missing. */
function hasUnsignedCalls(turns: Turn[], features: Features): boolean {
  const since = turns.slice(turns.findLastIndex(({ role }) => role === 'user') + 1)
  return since.some((turn) => callsOf(turn).length > 0 && thoughtsOf(turn, features).length === 0)
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
