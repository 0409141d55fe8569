import 'server-only'
import type { ZodError } from 'zod'
import { MAX_MODEL_PRICE_USD } from '@/lib/contract/models'
import { PRICES_OF_TYPE, type ProviderPrices, type ProviderVideo } from '@/lib/contract/providers'
import { ModelEntry, type ModelEntryInput, upstreamModelId, upstreamModelName } from '@/lib/services/models/entry'
import type { EngineSource } from '@/lib/services/models/models-file'
import type { StoredModel, StoredProvider } from '@/lib/services/models/providers/store'

/** No name of a models file has a colon, so that a connected engine never takes the place of one in the file. */
export const engineNameOf = (provider: string): string => `provider:${provider}`
export const isConnectedEngine = (engine: string): boolean => engine.startsWith(engineNameOf(''))

export function sourceOf(provider: StoredProvider): EngineSource {
  const { name, definition, key, isPaused, isBroken } = provider
  const entries = provider.models.flatMap((model) => {
    const parsed = parseEntry(provider, model)
    return parsed.success ? [{ ...parsed.data, offline: isPaused || isBroken }] : []
  })
  return {
    engine: engineNameOf(name),
    definition: { ...definition, ...(key !== undefined && { apiKey: key }) },
    entries,
  }
}

export const modelIdOf = (provider: string, upstreamModel: string): string =>
  `${provider}/${upstreamModelId(upstreamModel)}`.slice(0, 128)

/**
 * Says why a model cannot be offered, in a sentence that names what to change. Undefined when it can.
 */
export function modelFault(provider: Pick<StoredProvider, 'name'>, model: StoredModel): string | undefined {
  const fault = priceFault(model)
  if (fault !== undefined) return `${model.upstreamModel}: ${fault}`
  if (model.type === 'video' && model.prices !== null && model.video?.seconds === undefined) {
    return `${model.upstreamModel}: the lengths of its videos are missing. Enter them in seconds, such as 4 and 8.`
  }
  const parsed = parseEntry(provider, model)
  return parsed.success ? undefined : `${model.upstreamModel}: ${issuesOf(parsed.error)}`
}

const UNITS: Record<StoredModel['type'], string> = {
  text: 'million tokens',
  embedding: 'million tokens',
  image: 'image',
  tts: 'million characters',
  asr: 'second of audio',
  video: 'second of video',
}
const PRICE_NAMES: Record<Exclude<keyof ProviderPrices, 'second'>, string> = {
  input: 'the price of input tokens',
  output: 'the price of output tokens',
  cacheInput: 'the price of cached tokens',
  cacheWrite: 'the price of tokens written to the cache',
  image: 'the price of an image',
}

function priceFault({ type, prices }: StoredModel): string | undefined {
  if (prices === null) return undefined
  const priceName = (name: keyof ProviderPrices) =>
    name === 'second' ? `the price of a ${UNITS[type]}` : PRICE_NAMES[name]
  for (const name of PRICES_OF_TYPE[type]) {
    if (prices[name] === undefined) return `${priceName(name)} is missing. Enter it, or make the model free.`
    if (prices[name] === 0) return `${priceName(name)} is 0. Enter a price above 0, or make the model free.`
  }
  for (const [name, dollars] of Object.entries(prices) as [keyof ProviderPrices, number][]) {
    if (dollars > MAX_MODEL_PRICE_USD) {
      return `${priceName(name)} is above ${MAX_MODEL_PRICE_USD} USD. Enter dollars per ${UNITS[type]}.`
    }
  }
  return undefined
}

function parseEntry({ name }: Pick<StoredProvider, 'name'>, model: StoredModel) {
  return ModelEntry.safeParse(entryInput(name, model))
}

function entryInput(provider: string, model: StoredModel): ModelEntryInput {
  const { upstreamModel, type, prices, created, contextTokens } = model
  const id = modelIdOf(provider, upstreamModel)
  const alias = upstreamModelId(upstreamModel)
  const common = {
    id,
    name: model.name ?? upstreamModelName(upstreamModel),
    engine: engineNameOf(provider),
    upstreamModel,
    created,
    // Clients that name a vendor's model find it here by the same name.
    aliases: alias === '' || alias === id ? [] : [alias],
  }
  if (type === 'image') return { ...common, type, pricing: imagePricing(prices) }
  if (type === 'embedding') {
    return { ...common, type, pricing: prices ? { input: { usd: prices.input ?? 0 } } : undefined }
  }
  if (type === 'tts') {
    // Servers do not list their voices: most know OpenAI's, and any other that a caller names is passed on.
    const pricing = prices ? { input: { usd: prices.input ?? 0 } } : undefined
    return { ...common, type, voices: OPENAI_VOICES, supports_custom_voice_id: true, pricing }
  }
  if (type === 'asr') {
    return { ...common, type, pricing: prices ? { per_audio_second: { usd: prices.second ?? 0 } } : undefined }
  }
  if (type === 'video') {
    const price = prices ? { perSecond: prices.second ?? 0 } : undefined
    return { ...common, type, constraints: videoConstraints(model.video), inputNames: model.video?.inputNames, price }
  }
  const { cacheInput, cacheWrite, input = 0, output = 0 } = prices ?? {}
  return {
    ...common,
    type,
    contextTokens,
    maxCompletionTokens: maxCompletionOf(model),
    capabilities: model.capabilities,
    pricing: prices
      ? {
          input: { usd: input },
          output: { usd: output },
          ...(cacheInput !== undefined && { cache_input: { usd: cacheInput } }),
          ...(cacheWrite !== undefined && { cache_write: { usd: cacheWrite } }),
        }
      : undefined,
  }
}

/** Source: platform.openai.com/docs/guides/text-to-speech, voices of all its models. */
const OPENAI_VOICES = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer']

const maxCompletionOf = ({ maxCompletionTokens, contextTokens }: StoredModel): number | undefined =>
  maxCompletionTokens === undefined || contextTokens === undefined
    ? maxCompletionTokens
    : Math.min(maxCompletionTokens, contextTokens)

const videoConstraints = ({ modelType, seconds, aspectRatios, resolutions, audio }: ProviderVideo = {}) => ({
  model_type: modelType ?? ('video' as const),
  durations: seconds?.map((length) => `${length}s`) ?? [],
  aspect_ratios: aspectRatios ?? [],
  resolutions: resolutions ?? [],
  audio: audio !== undefined,
  audio_configurable: audio === 'optional',
})

function imagePricing(prices: ProviderPrices | null) {
  if (prices === null) return undefined
  const each = { usd: prices.image ?? 0 }
  return { generation: each, upscale: { '2x': each, '4x': each } }
}

const issuesOf = ({ issues }: ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')
