import { chatModelsOf } from '@/lib/engines/embedded/chat-models'
import type { WeightsName } from '@/lib/engines/embedded/weights-table'

/**
 * The embedded chat models as entries of an operator's models file (docs/operators.md): the first entry is the
 * profile's default. Prices are small, and not zero, so that an account sees its billing work.
 */
export function embeddedChatModels(profile: 'standard' | 'lean'): EmbeddedModelEntry[] {
  return chatModelsOf(profile).map(({ name, options: { contextTokens, defaults } }, index) => ({
    ...ENTRIES[name],
    contextTokens,
    constraints: {
      temperature: { default: defaults.temperature },
      top_p: { default: defaults.topP },
      repetition_penalty: { default: defaults.repetitionPenalty },
    },
    traits: [
      // Tool calls are made where the request forces them, and the larger model fills them in better.
      ...(index === 0 ? ['default', 'function_calling_default'] : []),
      ...(name === 'minimind2-small' ? ['fastest'] : []),
    ],
  }))
}

/** One entry of the models file's `models` list, as far as the embedded models fill it in. Money in USD. */
export type EmbeddedModelEntry = {
  id: string
  name: string
  description: string
  type: 'text'
  engine: 'embedded'
  upstreamModel: WeightsName
  /** Release of the weights, Unix seconds. */
  created: number
  contextTokens: number
  maxCompletionTokens: number
  capabilities: {
    supportsFunctionCalling: boolean
    supportsResponseSchema: boolean
    supportsLogProbs: boolean
    quantization: string
  }
  constraints: { temperature: { default: number }; top_p: { default: number }; repetition_penalty: { default: number } }
  /** Per million tokens. */
  pricing: { input: { usd: number }; output: { usd: number } }
  tier: 'XS'
  access: 'everyone'
  privacy: 'private'
  traits: string[]
}

const COMMON = {
  type: 'text',
  engine: 'embedded',
  maxCompletionTokens: 1024,
  tier: 'XS',
  access: 'everyone',
  privacy: 'private',
} as const

const CAN = { supportsFunctionCalling: true, supportsResponseSchema: true, supportsLogProbs: true }

const ENTRIES: Record<WeightsName, Omit<EmbeddedModelEntry, 'traits' | 'contextTokens' | 'constraints'>> = {
  'tinyllama-1.1b-chat': {
    ...COMMON,
    id: 'tinyllama-1.1b-chat',
    name: 'TinyLlama 1.1B Chat',
    description:
      'A small demo model that runs inside this server, without a network. Fluent in English and right about simple ' +
      'facts; often wrong in arithmetic, strict instructions and anything else. Calls a tool only when tool_choice ' +
      'forces one. Connect a larger model for real work.',
    upstreamModel: 'tinyllama-1.1b-chat',
    created: 1_704_067_200,
    capabilities: { ...CAN, quantization: 'not-available' },
    pricing: { input: { usd: 0.05 }, output: { usd: 0.1 } },
  },
  'minimind2-small': {
    ...COMMON,
    id: 'minimind2-small',
    name: 'MiniMind2 Small',
    description:
      'A tiny demo model (26 million parameters) that runs inside this server, without a network, at hundreds of ' +
      'tokens a second. Writes mostly fluent English and Chinese and knows very little: good for trying the interface, ' +
      'not for answers. Calls a tool only when tool_choice forces one.',
    upstreamModel: 'minimind2-small',
    created: 1_735_689_600,
    capabilities: { ...CAN, quantization: 'int8' },
    pricing: { input: { usd: 0.02 }, output: { usd: 0.04 } },
  },
}
