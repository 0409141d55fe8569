import type { ModelType, Tier } from '@/lib/contract/models'
import 'server-only'
import { CAPABILITY_FLAGS, SPEC_FIELDS } from '@/lib/contract/models.schema'
import { type Price, perMillion, perUnit } from '@/lib/contract/money'
import { type ModelEntry, type TextEntry, type TextPricing, withDiem } from '@/lib/services/models/entry'
import {
  type ImageParts,
  type IoParts,
  imageParts,
  imageSpec,
  ioParts,
  ioSpec,
  type JobParts,
  jobParts,
} from '@/lib/services/models/type-parts'

export type TokenRates = { input: Price; output: Price; cacheInput?: Price; cacheWrite?: Price }

export type Model = ImageParts &
  IoParts &
  JobParts & {
    id: string
    name: string
    type: ModelType
    engine: string
    upstreamModel: string
    tier: Tier
    access: 'everyone' | 'pro'
    traits: string[]
    aliases: string[]
    fallbacks: string[]
    privacy: 'private' | 'anonymized'
    regions?: string[]
    isOffline: boolean
    refusesTestCredit: boolean
    deprecation?: ModelEntry['deprecation']
    contextTokens: number
    maxCompletionTokens: number
    /** Field names of the contract's `capabilities` object; absent means false. */
    capabilities: TextEntry['capabilities']
    thinkTags?: { open: string; close: string; startsOpen?: boolean }
    videoSites?: string[]
    documentTypes?: string[]
    /** Tokens of a small image, where they are more than its pixels say. */
    imageTokens?: number
    sampling: { temperature: number; topP: number }
    servicePrompt?: string
    assist?: { vision?: string; audio?: string }
    rates?: TokenRates & { extended?: TokenRates & { thresholdTokens: number } }
    /** Price of a second of sound, each begun one counted. Undefined: free. */
    secondRate?: Price
    record: Record<string, unknown>
  }

const DEFAULT_CONTEXT_TOKENS = 8_192
const DEFAULT_MAX_COMPLETION_TOKENS = 16_384
const DEFAULT_SAMPLING = { temperature: 0.7, topP: 1 }
const DEFAULT_CREATED = Date.UTC(2026, 6, 18) / 1_000

type Derived = { privacy: 'private' | 'anonymized'; refusesTestCredit?: boolean }

export function modelOf(entry: ModelEntry, derived: Derived): Model {
  const text = entry.type === 'text' ? textPart(entry) : NO_TEXT
  const model: Model = {
    id: entry.id,
    name: entry.name ?? entry.id,
    type: entry.type,
    engine: entry.engine,
    upstreamModel: entry.upstreamModel ?? entry.id,
    tier: entry.tier,
    access: entry.access,
    traits: entry.traits,
    aliases: entry.aliases,
    fallbacks: entry.fallbacks,
    privacy: entry.privacy ?? derived.privacy,
    regions: entry.regionRestrictions,
    isOffline: entry.offline,
    refusesTestCredit: derived.refusesTestCredit ?? false,
    deprecation: entry.deprecation,
    secondRate: entry.type === 'asr' && entry.pricing ? perUnit(entry.pricing.per_audio_second.usd) : undefined,
    ...ioParts(entry),
    ...imageParts(entry),
    ...jobParts(entry),
    ...text,
    record: {},
  }
  model.record = recordOf(entry, model)
  return model
}

const NO_TEXT = {
  contextTokens: 0,
  maxCompletionTokens: 0,
  capabilities: {},
  sampling: DEFAULT_SAMPLING,
} satisfies Partial<Model>

function textPart(entry: TextEntry) {
  const contextTokens = entry.contextTokens ?? entry.availableContextTokens ?? DEFAULT_CONTEXT_TOKENS
  return {
    contextTokens,
    maxCompletionTokens:
      entry.maxCompletionTokens ?? Math.min(DEFAULT_MAX_COMPLETION_TOKENS, Math.ceil(contextTokens / 2)),
    capabilities: capabilitiesOf(entry),
    thinkTags: entry.thinkTags,
    videoSites: entry.videoSites,
    documentTypes: entry.documentTypes,
    imageTokens: entry.imageTokens,
    assist: entry.assist,
    servicePrompt: entry.servicePrompt,
    sampling: {
      temperature: entry.constraints.temperature?.default ?? DEFAULT_SAMPLING.temperature,
      topP: entry.constraints.top_p?.default ?? DEFAULT_SAMPLING.topP,
    },
    rates: entry.pricing && ratesOf(entry.pricing),
  }
}

function capabilitiesOf({ capabilities }: TextEntry): Model['capabilities'] {
  const { supportsResponseSchema, supportsReasoningEffort, reasoningEffortOptions, maxImages, maxVideos } = capabilities
  return {
    ...capabilities,
    // The service searches for every model, unless its file says that it cannot use what is found.
    supportsWebSearch: capabilities.supportsWebSearch ?? true,
    supportsFunctionCalling: capabilities.supportsFunctionCalling ?? supportsResponseSchema ?? false,
    supportsReasoningEffort: supportsReasoningEffort ?? reasoningEffortOptions !== undefined,
    supportsReasoning:
      capabilities.supportsReasoning ?? (supportsReasoningEffort || reasoningEffortOptions !== undefined),
    supportsVision: capabilities.supportsVision ?? (capabilities.supportsMultipleImages || maxImages !== undefined),
    supportsMultipleImages: capabilities.supportsMultipleImages ?? maxImages !== undefined,
    supportsVideoInput: capabilities.supportsVideoInput ?? maxVideos !== undefined,
  }
}

function ratesOf({ extended, ...base }: TextPricing): NonNullable<Model['rates']> {
  return {
    ...tokenRates(base),
    extended: extended && { ...tokenRates(extended), thresholdTokens: extended.context_token_threshold },
  }
}

function tokenRates(pricing: Omit<TextPricing, 'extended'>) {
  return {
    input: perMillion(pricing.input.usd),
    output: perMillion(pricing.output.usd),
    cacheInput: pricing.cache_input && perMillion(pricing.cache_input.usd),
    cacheWrite: pricing.cache_write && perMillion(pricing.cache_write.usd),
  }
}

function recordOf(entry: ModelEntry, model: Model): Model['record'] {
  const own = Object.entries(entry).filter(([name]) => SPEC_FIELDS.has(name) && name !== 'maxCompletionTokens')
  const spec = {
    name: model.name,
    description: entry.description,
    modelSource: entry.modelSource ?? '',
    privacy: model.privacy,
    traits: model.traits,
    offline: model.isOffline,
    acceptsTestCredit: model.refusesTestCredit ? false : undefined,
    beta: entry.beta,
    betaModel: entry.betaModel,
    uncensored: entry.uncensored,
    demo: entry.demo,
    regionRestrictions: model.regions,
    deprecation: model.deprecation && deprecationRecord(model.deprecation),
    ...Object.fromEntries(own),
    ...(entry.type === 'text' ? textSpec(entry, model) : { ...ioSpec(model), ...imageSpec(model) }),
    pricing: 'pricing' in entry && entry.pricing ? withDiem(entry.pricing) : undefined,
  }
  return {
    id: model.id,
    object: 'model',
    created: entry.created ?? DEFAULT_CREATED,
    owned_by: 'service',
    type: model.type,
    ...(model.type === 'text' ? { context_length: model.contextTokens } : {}),
    model_spec: withoutUndefined(spec),
  }
}

function textSpec(entry: TextEntry, model: Model) {
  const { capabilities } = model
  const flags = Object.fromEntries(CAPABILITY_FLAGS.map((name) => [name, capabilities[name] === true]))
  return {
    availableContextTokens: model.contextTokens,
    maxCompletionTokens: model.maxCompletionTokens,
    capabilities: withoutUndefined({
      ...flags,
      quantization: entry.capabilities.quantization ?? 'not-available',
      reasoningEffortOptions: capabilities.reasoningEffortOptions,
      defaultReasoningEffort: capabilities.defaultReasoningEffort,
      maxImages: entry.capabilities.maxImages,
      maxVideos: entry.capabilities.maxVideos,
    }),
    constraints: {
      ...entry.constraints,
      temperature: { default: model.sampling.temperature },
      top_p: { default: model.sampling.topP },
    },
  }
}

function deprecationRecord({ autoRemap, removesAt, startsAt, replacementModelId }: NonNullable<Model['deprecation']>) {
  const date = removesAt.toISOString()
  return withoutUndefined({ autoRemap, date, removesAt: date, startsAt: startsAt?.toISOString(), replacementModelId })
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T
}
