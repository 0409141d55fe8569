import 'server-only'
import type { ChatRequest, ChatTool } from '@/lib/services/engines/engine'
import { GoogleChunks } from '@/lib/services/engines/upstream/chat/google/chunks'
import { contentsOf } from '@/lib/services/engines/upstream/chat/google/contents'
import { splitSystem } from '@/lib/services/engines/upstream/chat/native/conversation'
import { type Features, type NativeForm, refuseFields } from '@/lib/services/engines/upstream/chat/native/form'

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
