import 'server-only'
import { z } from 'zod'
import { MAX_CONTEXT_TOKENS } from '@/lib/contract/models'
import {
  dollarsOf,
  MAX_UPSTREAM_MODEL_CHARS,
  type OfferedModel,
  type ProviderCapability,
  type ProviderModelType,
  type ProviderPrices,
  readPrice,
} from '@/lib/contract/providers'
import { FILMS, secondsOf, videoOf } from '@/lib/services/models/providers/vendor-videos'

/**
 * Reads how vendors describe their models. Every field but the name may be missing or of another kind: what cannot be
 * read is left out, and the operator completes it.
 */

const tokens = z.coerce.number().int().min(1).max(MAX_CONTEXT_TOKENS).optional().catch(undefined)
const words = z.array(z.string()).optional().catch(undefined)
const flag = z.boolean().optional().catch(undefined)
const text = z.string().optional().catch(undefined)
const price = z.union([z.string(), z.number()]).optional().catch(undefined)

/** The compatible form, with what OpenRouter, Together, Mistral, Groq, Fireworks, vLLM and others add to it. */
const CompatibleModel = z.object({
  id: z.string().min(1).max(MAX_UPSTREAM_MODEL_CHARS),
  name: text,
  display_name: text,
  type: text,
  task: text,
  created: z.int().min(1).optional().catch(undefined),
  context_length: tokens,
  context_window: tokens,
  max_context_length: tokens,
  max_model_len: tokens,
  max_completion_tokens: tokens,
  top_provider: z.object({ max_completion_tokens: tokens }).optional().catch(undefined),
  architecture: z.object({ input_modalities: words, output_modalities: words }).optional().catch(undefined),
  supported_parameters: words,
  supports_tools: flag,
  supports_image_input: flag,
  supports_chat: flag,
  active: flag,
  capabilities: z
    .object({ completion_chat: flag, function_calling: flag, vision: flag, reasoning: flag, audio: flag })
    .optional()
    .catch(undefined),
  pricing: z
    .object({
      prompt: price,
      completion: price,
      input_cache_read: price,
      input_cache_write: price,
      input: price,
      output: price,
      cached_input: price,
    })
    .optional()
    .catch(undefined),
})
type CompatibleModel = z.output<typeof CompatibleModel>

export function readCompatible(value: unknown): OfferedModel | 'omitted' | undefined {
  const model = CompatibleModel.safeParse(value).data
  if (model === undefined) return undefined
  const type = model.active === false ? undefined : typeOf(model)
  if (type === undefined) return 'omitted'
  const inputs = model.architecture?.input_modalities
  const parameters = model.supported_parameters
  const can = model.capabilities
  return {
    upstreamModel: model.id,
    name: model.name ?? model.display_name,
    type,
    created: model.created,
    contextTokens:
      model.context_length ?? model.context_window ?? model.max_context_length ?? model.max_model_len ?? undefined,
    maxCompletionTokens: model.top_provider?.max_completion_tokens ?? model.max_completion_tokens,
    capabilities: capabilitiesOf({
      supportsFunctionCalling: parameters?.includes('tools') ?? can?.function_calling ?? model.supports_tools,
      supportsResponseSchema: parameters?.some((name) => /structured_outputs|response_format/.test(name)),
      supportsReasoning: parameters?.includes('reasoning') ?? can?.reasoning,
      supportsLogProbs: parameters?.includes('logprobs'),
      supportsVision: inputs?.includes('image') ?? can?.vision ?? model.supports_image_input,
      supportsAudioInput: inputs?.includes('audio') ?? can?.audio,
      supportsVideoInput: inputs?.includes('video'),
    }),
    video: type === 'video' ? videoOf(model.id) : undefined,
    // What others charge for an image or a second of sound is not a price of tokens.
    cost: type === 'text' || type === 'embedding' ? costOf(model) : undefined,
  }
}

/** OpenRouter prices a token, Together a million of them. */
function costOf({ pricing }: CompatibleModel): OfferedModel['cost'] {
  if (pricing === undefined) return undefined
  const { prompt, completion, input_cache_read, input_cache_write, input, output, cached_input } = pricing
  if (prompt !== undefined) {
    const prices = { input: prompt, output: completion, cacheInput: input_cache_read, cacheWrite: input_cache_write }
    return tokenCost(prices, 6)
  }
  // Together writes zeros for models that it does not sell by the token.
  const cost = tokenCost({ input, output, cacheInput: cached_input }, 0)
  return cost === null ? undefined : cost
}

/**
 * Makes a cost of a vendor's four prices. Free where input and output are; undefined where one of them is not told.
 */
export function tokenCost(
  prices: { input: unknown; output: unknown; cacheInput?: unknown; cacheWrite?: unknown },
  tenTimes: number,
): ProviderPrices | null | undefined {
  const input = readPrice(prices.input, tenTimes)
  const output = readPrice(prices.output, tenTimes)
  if (input === undefined || output === undefined) return undefined
  if (input === 0n && output === 0n) return null
  const cacheInput = readPrice(prices.cacheInput, tenTimes)
  const cacheWrite = readPrice(prices.cacheWrite, tenTimes)
  return {
    input: dollarsOf(input),
    output: dollarsOf(output),
    // A vendor that says nothing of a cache writes a zero as well.
    ...(cacheInput && { cacheInput: dollarsOf(cacheInput) }),
    ...(cacheWrite && { cacheWrite: dollarsOf(cacheWrite) }),
  }
}

const OTHER_KIND = /realtime|moderation|-audio|rerank|guard-?rail|\bvideo\b|lyria|babbage|davinci/i
const HEARS = /whisper|transcri/i
const SPEAKS = /\btts\b|-tts|text-to-speech|orpheus/i
const EMBEDS = /embed|\bbge-|\be5-|\bgte-/i
const PAINTS = /dall-e|gpt-image|imagen|flux|stable-diffusion|sdxl|-image-|-image$|grok-\d.*image|recraft/i

function typeOf(model: CompatibleModel): ProviderModelType | undefined {
  const { id, type = model.task ?? '', architecture, supports_chat: chats, capabilities } = model
  const outputs = architecture?.output_modalities
  if (outputs && !outputs.includes('text')) return (['image', 'video'] as const).find((kind) => outputs.includes(kind))
  if (outputs) return 'text'
  if (/^(chat|language|llm|vlm|code)$/.test(type)) return 'text'
  if (/^embed/.test(type)) return 'embedding'
  if (type === 'image' || type === 'video') return type
  if (/^transcri/.test(type)) return 'asr'
  if (/^(audio|speech)/.test(type)) return 'tts'
  if (/^(moderation|rerank)/.test(type)) return undefined
  if (EMBEDS.test(id)) return 'embedding'
  if (FILMS.test(id)) return 'video'
  if (PAINTS.test(id)) return 'image'
  if (OTHER_KIND.test(id)) return undefined
  if (HEARS.test(id)) return 'asr'
  if (SPEAKS.test(id)) return 'tts'
  if (chats === false || capabilities?.completion_chat === false) return undefined
  return 'text'
}

const Supported = z.object({ supported: flag }).optional().catch(undefined)
const AnthropicModel = z.object({
  id: z.string().min(1).max(MAX_UPSTREAM_MODEL_CHARS),
  display_name: text,
  created_at: text,
  max_input_tokens: tokens,
  max_tokens: tokens,
  capabilities: z
    .object({ image_input: Supported, thinking: Supported, structured_outputs: Supported, effort: Supported })
    .optional()
    .catch(undefined),
})

/** The least that every model of this vendor has. */
const ANTHROPIC_CONTEXT_TOKENS = 200_000

export function readAnthropic(value: unknown): OfferedModel | undefined {
  const model = AnthropicModel.safeParse(value).data
  if (model === undefined) return undefined
  const { capabilities: can } = model
  return {
    upstreamModel: model.id,
    name: model.display_name,
    type: 'text',
    created: secondsOf(model.created_at),
    contextTokens: model.max_input_tokens ?? ANTHROPIC_CONTEXT_TOKENS,
    maxCompletionTokens: model.max_tokens,
    capabilities: capabilitiesOf({
      supportsFunctionCalling: true,
      supportsVision: can?.image_input?.supported ?? true,
      supportsReasoning: can?.thinking?.supported,
      supportsReasoningEffort: can?.thinking?.supported && can.effort?.supported,
      // Older models answer in a schema by a call that is forced.
      supportsResponseSchema: true,
    }),
  }
}

const GoogleModel = z.object({
  name: z.string().min(1).max(MAX_UPSTREAM_MODEL_CHARS),
  displayName: text,
  inputTokenLimit: tokens,
  outputTokenLimit: tokens,
  supportedGenerationMethods: words,
  thinking: flag,
})

export function readGoogle(value: unknown): OfferedModel | 'omitted' | undefined {
  const model = GoogleModel.safeParse(value).data
  if (model === undefined) return undefined
  const upstreamModel = model.name.replace(/^models\//, '')
  const methods = model.supportedGenerationMethods ?? []
  const chats =
    methods.includes('generateContent') && !/-tts|image|live|audio|robotics|computer-use/.test(upstreamModel)
  if (!chats) return 'omitted'
  const isGemini = !upstreamModel.startsWith('gemma')
  return {
    upstreamModel,
    name: model.displayName,
    type: 'text',
    contextTokens: model.inputTokenLimit,
    maxCompletionTokens: model.outputTokenLimit,
    capabilities: capabilitiesOf({
      supportsFunctionCalling: isGemini,
      supportsResponseSchema: isGemini,
      supportsVision: true,
      supportsAudioInput: isGemini,
      supportsVideoInput: isGemini,
      supportsReasoning: model.thinking,
      supportsReasoningEffort: model.thinking,
    }),
  }
}

const XaiModel = z.object({
  id: z.string().min(1).max(MAX_UPSTREAM_MODEL_CHARS),
  created: z.int().min(1).optional().catch(undefined),
  input_modalities: words,
  prompt_text_token_price: price,
  cached_prompt_text_token_price: price,
  completion_text_token_price: price,
  max_prompt_length: tokens,
})

export function readXai(value: unknown): OfferedModel | undefined {
  const model = XaiModel.safeParse(value).data
  if (model === undefined) return undefined
  return {
    upstreamModel: model.id,
    type: 'text',
    created: model.created,
    contextTokens: model.max_prompt_length,
    capabilities: capabilitiesOf({
      supportsFunctionCalling: true,
      supportsResponseSchema: true,
      supportsVision: model.input_modalities?.includes('image'),
    }),
    // Hundredths of a cent per million tokens. Source: docs.x.ai, "List language models".
    cost: tokenCost(
      {
        input: model.prompt_text_token_price,
        output: model.completion_text_token_price,
        cacheInput: model.cached_prompt_text_token_price,
      },
      -4,
    ),
  }
}

const LmStudioModel = z.object({
  id: z.string().min(1).max(MAX_UPSTREAM_MODEL_CHARS),
  type: text,
  max_context_length: tokens,
  loaded_context_length: tokens,
  capabilities: words,
})

export function readLmStudio(value: unknown): OfferedModel | 'omitted' | undefined {
  const model = LmStudioModel.safeParse(value).data
  if (model === undefined) return undefined
  const isEmbedding = model.type === 'embeddings'
  if (!isEmbedding && model.type !== 'llm' && model.type !== 'vlm') return 'omitted'
  return {
    upstreamModel: model.id,
    type: isEmbedding ? 'embedding' : 'text',
    contextTokens: model.loaded_context_length ?? model.max_context_length,
    capabilities: isEmbedding
      ? undefined
      : capabilitiesOf({
          supportsFunctionCalling: model.capabilities?.includes('tool_use'),
          supportsResponseSchema: true,
          supportsVision: model.type === 'vlm',
        }),
    cost: null,
  }
}

export function capabilitiesOf(
  can: Partial<Record<ProviderCapability, boolean | undefined>>,
): OfferedModel['capabilities'] {
  const known = Object.entries(can).filter(([, has]) => has !== undefined)
  const told = Object.fromEntries(known) as NonNullable<OfferedModel['capabilities']>
  // The catalogue's rule: an answer in a schema is called like a tool.
  if (told.supportsResponseSchema && told.supportsFunctionCalling === false) told.supportsResponseSchema = false
  return known.length === 0 ? undefined : told
}
