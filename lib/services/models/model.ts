import type { ModelType, Tier } from '@/lib/contract/models'
import type { Price } from '@/lib/contract/money'
import type { ImageParts, IoParts, JobParts } from '@/lib/services/models/type-parts'

/** Prices of one token each. */
export type TokenRates = { input: Price; output: Price; cacheInput?: Price; cacheWrite?: Price }

type Deprecation = {
  startsAt?: Date
  /** The model is gone from then on. */
  removesAt: Date
  replacementModelId?: string
  autoRemap: boolean
}

/** One model of the operator, whatever serves it. What `/models` shows of it is `record`, already in wire form. */
export type Model = ImageParts &
  IoParts &
  JobParts & {
    id: string
    name: string
    type: ModelType
    /** The engine's name in the registry, and what that engine calls the model. */
    engine: string
    upstreamModel: string
    tier: Tier
    access: 'everyone' | 'pro'
    traits: string[]
    aliases: string[]
    /** Model ids to try, in order, before the first byte. */
    fallbacks: string[]
    privacy: 'private' | 'anonymized'
    regions?: string[]
    isOffline: boolean
    /** Closed to test credit of the sandbox: see `refusesTestCredit`. */
    refusesTestCredit: boolean
    deprecation?: Deprecation
    /** Text models only. */
    contextTokens: number
    maxCompletionTokens: number
    /** Field names of the contract's `capabilities` object; absent means false. */
    capabilities: {
      optimizedForCode?: boolean
      supportsFunctionCalling?: boolean
      supportsAudioInput?: boolean
      supportsReasoning?: boolean
      supportsReasoningEffort?: boolean
      supportsResponseSchema?: boolean
      supportsMultipleImages?: boolean
      supportsVision?: boolean
      supportsVideoInput?: boolean
      supportsWebSearch?: boolean
      supportsLogProbs?: boolean
      supportsXSearch?: boolean
      reasoningEffortOptions?: string[]
      defaultReasoningEffort?: string
    }
    /** Where the model writes its thoughts into the text: think tags that `createThinkSplitter` splits off. */
    thinkTags?: { open: string; close: string; startsOpen?: boolean }
    /** Hosts of video sites whose pages the engine opens by itself, subdomains included. */
    videoSites?: string[]
    sampling: { temperature: number; topP: number }
    /** What its conversations begin with in place of the service's own prompt; empty for none. */
    servicePrompt?: string
    /** Ids of models that read images (`text` with vision) or hear (`asr`) for this one, which cannot. */
    assist?: { vision?: string; audio?: string }
    /** Nothing: the model is free. */
    rates?: TokenRates & { extended?: TokenRates & { thresholdTokens: number } }
    /** Transcription models: the price of a second of sound, each begun one counted. Nothing: free. */
    secondRate?: Price
    /** The wire record of `/models`, without what depends on the moment (`offline`, deprecation phase). */
    record: Record<string, unknown>
  }
