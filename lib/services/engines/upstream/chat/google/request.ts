import 'server-only'
import type { ChatRequest, ChatTool, ContentPart } from '@/lib/services/engines/engine'
import { GoogleChunks, SIGNATURE_FORMAT } from '@/lib/services/engines/upstream/chat/google/chunks'
import {
  argumentsOf,
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
import { isWireObject, textOrUndefined, type WireObject } from '@/lib/services/engines/upstream/wire-value'

/** Source: ai.google.dev, "OpenAI compatibility", the table of efforts and budgets. */
const BUDGET_TOKENS = { minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576, xhigh: 24_576, max: 24_576 }
const LEVELS = { minimal: 'MINIMAL', low: 'LOW', medium: 'MEDIUM', high: 'HIGH', xhigh: 'HIGH', max: 'HIGH' }

/** Matches what a model refuses of thinking. A fault of a content or tool, whose names are the caller's, is none. */
const ofThinking = (names: string): RegExp => new RegExp(`^(?!.*((contents|tools)\\[|signature)).*(${names})`, 'is')

/**
 * The Gemini API. `verbosity` and cache keys have no place in it and are hints, so they are left out. Source:
 * ai.google.dev, "Generating content", and the types of js-genai.
 */
export const googleForm: NativeForm = {
  headers: ['content-type', 'application/json', 'accept', 'text/event-stream'],
  path(model) {
    const name = model.split('/').map(encodeURIComponent).join('/')
    return `/${name.includes('/') ? name : `models/${name}`}:streamGenerateContent?alt=sse`
  },
  body: generateContentBody,
  decoder: (request) => new GoogleChunks(request),
  refusals: [
    { feature: 'system', pattern: /(developer|system).?instruction.{0,40}not (enabled|supported)/i },
    { feature: 'unsigned calls', pattern: /missing.{0,40}thought.?signature/i },
    { feature: 'signatures', pattern: /thought.?signature/i, isOfRequest: true },
    { feature: 'thoughts', pattern: ofThinking('thinking is not (supported|enabled)|not support thinking') },
    { feature: 'zero budget', pattern: ofThinking('budget|thinking') },
    { feature: 'level', pattern: ofThinking('level is not supported') },
    { feature: 'minimal level', pattern: ofThinking('level') },
    { feature: 'level', pattern: ofThinking('level|thinking') },
    { feature: 'budget', pattern: ofThinking('budget|thinking') },
    { feature: 'thoughts', pattern: ofThinking('thinking|include_?thoughts') },
  ],
}

function generateContentBody(request: ChatRequest, features: Features): object {
  const { sampling, responseFormat } = request
  refuseFields({
    stop_token_ids: (request.stopTokenIds?.length ?? 0) > 0,
    repetition_penalty: (sampling.repetitionPenalty ?? 1) !== 1,
    min_p: (sampling.minP ?? 0) !== 0,
    enable_x_search: request.nativeSearch !== undefined,
  })
  const { system, turns } = splitSystem(request.messages, { wantsJsonObject: false })
  const isApart = system.length > 0 && features.use('system')
  const contents = isApart ? turns : [{ role: 'user' as const, content: system }, ...turns]
  const wantsJson = responseFormat !== undefined && responseFormat.type !== 'text'
  return {
    systemInstruction: isApart ? { parts: system.map(({ text }) => ({ text })) } : undefined,
    contents: contentsOf(contents, features),
    ...toolsOf(request),
    generationConfig: {
      candidateCount: request.n > 1 ? request.n : undefined,
      maxOutputTokens: request.maxTokens,
      stopSequences: request.stop.length > 0 ? request.stop : undefined,
      temperature: sampling.temperature,
      topP: sampling.topP,
      topK: sampling.topK || undefined,
      frequencyPenalty: sampling.frequencyPenalty,
      presencePenalty: sampling.presencePenalty,
      seed: sampling.seed,
      responseLogprobs: request.logprobs && true,
      logprobs: request.logprobs?.top || undefined,
      responseMimeType: wantsJson ? 'application/json' : undefined,
      responseJsonSchema: responseFormat?.type === 'json_schema' ? responseFormat.json_schema.schema : undefined,
      thinkingConfig: thinkingOf(request, features),
    },
  }
}

/** Stands for a signature that is lost. Source: ai.google.dev, "Thought signatures". */
const NO_SIGNATURE = 'skip_thought_signature_validator'

type Content = { role: 'user' | 'model'; parts: WireObject[] }

/** Writes turns as contents. Several of one role in a row, as the results of parallel calls are, become one content. */
function contentsOf(turns: Turn[], features: Features): Content[] {
  const contents: Content[] = []
  const names = new Map(turns.flatMap(callsOf).map((call) => [call.id, call.function.name]))
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'model' : 'user'
    const parts = partsOf(turn, names, features)
    const last = contents.at(-1)
    if (parts.length === 0) continue
    if (last?.role === role) last.parts.push(...parts)
    else contents.push({ role, parts })
  }
  if (contents[0]?.role === 'model') contents.unshift({ role: 'user', parts: [{ text: OPENING }] })
  return contents
}

function partsOf(turn: Turn, names: Map<string, string>, features: Features): WireObject[] {
  if (turn.role === 'assistant') return modelParts(turn, features)
  if (turn.role === 'user') {
    return typeof turn.content === 'string' ? textParts(turn.content).map(textPart) : turn.content.flatMap(mediaParts)
  }
  const { tool_call_id: id, name = names.get(id) } = turn
  const text = textParts(turn.content)
    .map((part) => part.text)
    .join('\n')
  return [{ functionResponse: { id, name: name ?? id, response: responseOf(text) } }]
}

/** A result that is an object goes as it is; any other goes as `output`, which the form names so. */
function responseOf(text: string): WireObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isWireObject(value)) return value
  } catch {
    // Not JSON: text.
  }
  return { output: text }
}

const textPart = ({ text }: { text: string }): WireObject => ({ text })

function mediaParts(part: ContentPart): WireObject[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [textPart(part)]
    case 'image_url':
      return [dataPart(part.image_url.url)]
    case 'input_audio':
      return [{ inlineData: { mimeType: 'audio/wav', data: part.input_audio.data } }]
    case 'video_url':
      return [dataPart(part.video_url.url)]
    case 'file':
      return [dataPart(part.file.file_data)]
  }
}

function dataPart(url: string): WireObject {
  const media = mediaOf(url)
  return media ? { inlineData: { mimeType: media.mime, data: media.data } } : { fileData: { fileUri: url } }
}

/**
 * Writes an assistant's turn with its signatures: one belongs to the call that it names, or else to the text. Of
 * parallel calls only the first has one.
 */
function modelParts(turn: Extract<Turn, { role: 'assistant' }>, features: Features): WireObject[] {
  const signatures = signaturesOf(turn, features)
  const texts = textParts(turn.content).map(textPart)
  const calls = callsOf(turn).map((call): WireObject => {
    const { id } = call
    return {
      functionCall: { id, name: call.function.name, args: argumentsOf(call) },
      thoughtSignature: signatures.get(id),
    }
  })
  const [firstCall] = calls
  const lastText = texts.at(-1)
  const unnamed = signatures.get(undefined)
  const isSigned = calls.some((part) => part.thoughtSignature !== undefined)
  if (firstCall && !isSigned) firstCall.thoughtSignature = lastText ? undefined : unnamed
  if (lastText && unnamed !== undefined) lastText.thoughtSignature = unnamed
  if (firstCall && !isSigned && firstCall.thoughtSignature === undefined) {
    firstCall.thoughtSignature = features.use('unsigned calls') ? undefined : NO_SIGNATURE
  }
  return [...texts, ...calls]
}

/** Lists signatures by the call that they name; that of the text under `undefined`. */
function signaturesOf(turn: Extract<Turn, { role: 'assistant' }>, features: Features): Map<string | undefined, string> {
  const signatures = new Map<string | undefined, string>()
  if (!features.has('signatures')) return signatures
  for (const { type, format, data, id } of turn.reasoning_details ?? []) {
    const signature = textOrUndefined(data)
    if (type !== 'reasoning.encrypted' || format !== SIGNATURE_FORMAT || signature === undefined) continue
    signatures.set(textOrUndefined(id), signature)
  }
  if (signatures.size === 0 && turn.thought_signature) signatures.set(callsOf(turn)[0]?.id, turn.thought_signature)
  if (signatures.size > 0) features.use('signatures')
  return signatures
}

/**
 * Asks for thoughts, since they are paid for in any case. Current models choose how much they think by a level, older
 * ones take a budget of tokens; some cannot be kept from thinking, and think the least then.
 */
function thinkingOf({ reasoning }: ChatRequest, features: Features): object | undefined {
  const { effort, isEnabled } = reasoning ?? {}
  if (!features.use('thoughts')) return undefined
  if (isEnabled === false || effort === 'none') return leastThinking(features)
  const shown = { includeThoughts: true }
  if (effort === undefined) return shown
  if (features.use('level')) {
    const level = effort === 'minimal' && !features.use('minimal level') ? LEVELS.low : LEVELS[effort]
    return { ...shown, thinkingLevel: level }
  }
  return features.use('budget') ? { ...shown, thinkingBudget: BUDGET_TOKENS[effort] } : shown
}

function leastThinking(features: Features): object | undefined {
  if (features.use('zero budget')) return { thinkingBudget: 0 }
  if (!features.use('level')) return undefined
  return { thinkingLevel: features.use('minimal level') ? LEVELS.minimal : LEVELS.low }
}

function toolsOf({ tools = [], toolChoice }: ChatRequest): object {
  if (tools.length === 0) return {}
  const isNamed = typeof toolChoice === 'object'
  const mode = isNamed || toolChoice === 'required' ? 'ANY' : toolChoice?.toUpperCase()
  const allowedFunctionNames = isNamed ? [toolChoice.function.name] : undefined
  return {
    tools: [{ functionDeclarations: tools.map(declarationOf) }],
    toolConfig: mode && { functionCallingConfig: { mode, allowedFunctionNames } },
  }
}

/** A function without parameters has no schema: an empty one is refused. */
function declarationOf({ function: { name, description, parameters } }: ChatTool): object {
  const properties = parameters?.properties
  const isEmpty = typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0
  return { name, description, parametersJsonSchema: isEmpty && !parameters?.$ref ? undefined : parameters }
}
