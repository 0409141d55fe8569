import { chatModelsOf } from '@/lib/engines/embedded/chat-models'
import { IMAGE_READER_ENTRY } from '@/lib/engines/embedded/vision-chat'
import type { ChatWeightsName } from '@/lib/engines/embedded/weights-table'

/**
 * The embedded models as entries of an operator's models file (docs/operators.md): the first entry is the profile's
 * default for chat. Prices are small, and not zero, so that an account sees its billing work.
 */
export function embeddedModels(profile: 'standard' | 'lean'): EmbeddedModelEntry[] {
  return [...chatEntries(profile), ...HELPERS]
}

function chatEntries(profile: 'standard' | 'lean'): EmbeddedTextEntry[] {
  return chatModelsOf(profile).map(({ name, options: { contextTokens, defaults } }, index) => ({
    ...CHAT_ENTRIES[name],
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
    assist: { vision: 'image-reader', audio: 'moonshine-tiny' },
  }))
}

/** One entry of the models file's `models` list, as far as the embedded models fill it in. Money in USD. */
export type EmbeddedModelEntry = EmbeddedTextEntry | EmbeddedAsrEntry

type EmbeddedEntry = {
  id: string
  name: string
  description: string
  engine: 'embedded'
  upstreamModel: string
  /** Release of the weights, Unix seconds. */
  created: number
  tier: 'XS'
  access: 'everyone'
  privacy: 'private'
  traits: string[]
}

export type EmbeddedTextEntry = EmbeddedEntry & {
  type: 'text'
  contextTokens: number
  maxCompletionTokens: number
  capabilities: {
    supportsFunctionCalling: boolean
    supportsResponseSchema: boolean
    supportsLogProbs: boolean
    supportsVision?: boolean
    supportsMultipleImages?: boolean
    quantization: string
  }
  constraints: {
    temperature?: { default: number }
    top_p?: { default: number }
    repetition_penalty?: { default: number }
  }
  /** Per million tokens. */
  pricing: { input: { usd: number }; output: { usd: number } }
  /** Who reads images and hears for a model that cannot. */
  assist?: { vision?: string; audio?: string }
}

export type EmbeddedAsrEntry = EmbeddedEntry & { type: 'asr'; pricing: { per_audio_second: { usd: number } } }

const COMMON = { engine: 'embedded', tier: 'XS', access: 'everyone', privacy: 'private' } as const
const CHAT = { ...COMMON, type: 'text', maxCompletionTokens: 1024 } as const

const CAN = { supportsFunctionCalling: true, supportsResponseSchema: true, supportsLogProbs: true }

type GivenByProfile = 'traits' | 'contextTokens' | 'constraints' | 'assist'

const CHAT_ENTRIES: Record<ChatWeightsName, Omit<EmbeddedTextEntry, GivenByProfile>> = {
  'tinyllama-1.1b-chat': {
    ...CHAT,
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
    ...CHAT,
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

/** What hears for the chat models, of every profile. */
const TRANSCRIPTION: EmbeddedAsrEntry = {
  ...COMMON,
  type: 'asr',
  id: 'moonshine-tiny',
  name: 'Moonshine Tiny',
  description:
    'A small model that writes down English speech inside this server, without a network. Good with clear speech, ' +
    'less so with noise, accents and names; knows no other language.',
  upstreamModel: 'moonshine-tiny',
  created: 1_729_468_800,
  traits: [],
  pricing: { per_audio_second: { usd: 0.0001 } },
}

/** Models beside those of a profile that read images and hear for them. */
const HELPERS: EmbeddedModelEntry[] = [IMAGE_READER_ENTRY, TRANSCRIPTION]
