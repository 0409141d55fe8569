import type { ModelType, Tier } from '@/lib/contract/models'
import type { Price } from '@/lib/contract/money'
import type { ImageParts, IoParts, JobParts } from '@/lib/services/models/type-parts'

export type TokenRates = { input: Price; output: Price; cacheInput?: Price; cacheWrite?: Price }

type Deprecation = {
  startsAt?: Date
  removesAt: Date
  replacementModelId?: string
  autoRemap: boolean
}

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
    deprecation?: Deprecation
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
    thinkTags?: { open: string; close: string; startsOpen?: boolean }
    videoSites?: string[]
    sampling: { temperature: number; topP: number }
    servicePrompt?: string
    assist?: { vision?: string; audio?: string }
    rates?: TokenRates & { extended?: TokenRates & { thresholdTokens: number } }
    /** Price of a second of sound, each begun one counted. Undefined: free. */
    secondRate?: Price
    record: Record<string, unknown>
  }
