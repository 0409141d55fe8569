import 'server-only'
import { chatModelsOf } from '@/lib/services/engines/embedded/chat/chat'
import { textRuntime } from '@/lib/services/engines/embedded/chat/runtime'
import { KOKORO_VOICES } from '@/lib/services/engines/embedded/speech/voices'
import { EMBEDDING_DIMENSIONS, EMBEDDING_MAX_TOKENS } from '@/lib/services/engines/embedded/task-protocol'
import { IMAGE_READER, IMAGE_READER_CONTEXT_TOKENS } from '@/lib/services/engines/embedded/vision/chat'
import type { ChatWeightsName } from '@/lib/services/engines/embedded/weights/manifest'
import { formatsMadeHere } from '@/lib/services/media/speech-encoder'
import { ModelEntry, type ModelEntryInput } from '@/lib/services/models/entry'

/**
 * Lists the embedded models as entries of an operator's models file (docs/operators.md): the first entry is the
 * profile's default for chat. Prices are small, and not zero, so that an account sees its billing work.
 */
export function embeddedModels(profile: 'standard' | 'lean'): ModelEntry[] {
  const isStandard = profile === 'standard'
  const entries = [
    ...chatEntries(profile),
    IMAGE_READER_ENTRY,
    MOONSHINE,
    ...(isStandard ? [WHISPER] : []),
    EMBEDDING,
    SPEECH,
    UPSCALE,
    ...(isStandard ? [INPAINT] : []),
    LONG_SPEECH,
    ...(formatsMadeHere().includes('mp3') ? [SLIDESHOW] : []),
  ]
  return entries.map((entry) => ModelEntry.parse(entry))
}

type TextInput = Extract<ModelEntryInput, { type: 'text' }>

function chatEntries(profile: 'standard' | 'lean'): TextInput[] {
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

const COMMON = { engine: 'embedded', tier: 'XS', privacy: 'private' } as const
const CHAT = { ...COMMON, type: 'text', maxCompletionTokens: 1024, demo: true } as const

const CAN = {
  supportsFunctionCalling: true,
  supportsResponseSchema: true,
  supportsLogProbs: textRuntime(process) === 'node-llama-cpp',
}

const CHAT_ENTRIES: Record<ChatWeightsName, TextInput> = {
  'tinyllama-1.1b-chat': {
    ...CHAT,
    id: 'tinyllama-1.1b-chat',
    name: 'TinyLlama 1.1B Chat',
    description:
      'A small demo model on this server. Fluent in English and right about simple facts; often wrong in arithmetic ' +
      'and strict instructions. Calls a tool only when tool_choice forces one. Connect a larger model for real ' +
      'work.',
    upstreamModel: 'tinyllama-1.1b-chat',
    servicePrompt: 'You are a friendly chatbot.',
    created: 1_704_067_200,
    capabilities: { ...CAN, quantization: 'not-available' },
    pricing: { input: { usd: 0.05 }, output: { usd: 0.1 } },
  },
  'minimind2-small': {
    ...CHAT,
    id: 'minimind2-small',
    name: 'MiniMind2 Small',
    description:
      'A tiny demo model (26 million parameters) on this server, at hundreds of tokens a second. Writes mostly ' +
      'fluent English and Chinese and knows very little: good for trying the interface, not for answers. Calls a ' +
      'tool only when tool_choice forces one.',
    upstreamModel: 'minimind2-small',
    servicePrompt: '',
    created: 1_735_689_600,
    capabilities: { ...CAN, quantization: 'int8' },
    pricing: { input: { usd: 0.02 }, output: { usd: 0.04 } },
  },
}

const MOONSHINE: ModelEntryInput = {
  ...COMMON,
  type: 'asr',
  id: 'moonshine-tiny',
  name: 'Moonshine Tiny',
  description:
    'Transcribes English speech on this server. Good with clear speech, less so with noise, accents and names. ' +
    'English only.',
  upstreamModel: 'moonshine-tiny',
  created: 1_729_468_800,
  pricing: { per_audio_second: { usd: 0.0001 } },
}

const WHISPER: ModelEntryInput = {
  ...COMMON,
  type: 'asr',
  id: 'whisper-tiny',
  name: 'Whisper Tiny',
  description:
    'Transcribes speech in about a hundred languages on this server and detects the language. Accurate in the ' +
    'common languages, less so in the others.',
  upstreamModel: 'whisper-tiny',
  created: 1_663_718_400,
  pricing: { per_audio_second: { usd: 0.0001 } },
}

const EMBEDDING: ModelEntryInput = {
  ...COMMON,
  type: 'embedding',
  id: 'all-minilm-l6-v2',
  name: 'all-MiniLM-L6-v2',
  description:
    'Embeds English sentences and short paragraphs on this server. Good for search and clustering in English; ' +
    'texts of more than 256 tokens are refused.',
  upstreamModel: 'all-minilm-l6-v2',
  created: 1_630_281_600,
  embeddingDimensions: EMBEDDING_DIMENSIONS,
  maxInputTokens: EMBEDDING_MAX_TOKENS,
  pricing: { input: { usd: 0.01 } },
}

/** The first is the one that reads when none is named. */
const DEFAULT_VOICE = 'af_heart'
const VOICES = [DEFAULT_VOICE, ...KOKORO_VOICES.filter((voice) => voice !== DEFAULT_VOICE)]

const SPEECH: ModelEntryInput = {
  ...COMMON,
  type: 'tts',
  id: 'kokoro-82m',
  name: 'Kokoro 82M',
  description: 'English text to speech on this server, with American and British voices. English only.',
  upstreamModel: 'kokoro-82m',
  created: 1_735_084_800,
  voices: VOICES,
  pricing: { input: { usd: 1 } },
}

const UPSCALE: ModelEntryInput = {
  ...COMMON,
  type: 'upscale',
  id: 'esrgan-slim',
  name: 'ESRGAN Slim',
  description:
    'Upscales images two or four times on this server. Sharper edges than interpolation; adds no new detail.',
  upstreamModel: 'esrgan-slim',
  created: 1_662_768_000,
  pricing: { upscale: { '2x': { usd: 0.001 }, '4x': { usd: 0.004 } } },
}

const INPAINT: ModelEntryInput = {
  ...COMMON,
  type: 'inpaint',
  traits: ['object_removal'],
  id: 'mi-gan',
  name: 'MI-GAN',
  description:
    'Erases objects on this server: fills the transparent parts of an image to match their surroundings. Ignores ' +
    'the prompt and adds nothing new.',
  upstreamModel: 'mi-gan',
  created: 1_696_118_400,
  constraints: { aspectRatios: ['auto'], promptCharacterLimit: 32_768, combineImages: false, maxInputImages: 1 },
  pricing: { inpaint: { usd: 0.002 } },
}

const IMAGE_READER_ENTRY: ModelEntryInput = {
  ...CHAT,
  id: IMAGE_READER,
  name: 'Image Reader',
  description:
    'Reads images on this server: their text (printed English rather than handwriting) and common objects with ' +
    'their positions. Text recognition and object detection, not a language model: it answers each question with ' +
    'what it found.',
  upstreamModel: IMAGE_READER,
  created: 1_540_771_200,
  contextTokens: IMAGE_READER_CONTEXT_TOKENS,
  maxCompletionTokens: 4_096,
  capabilities: {
    supportsVision: true,
    supportsMultipleImages: true,
    supportsFunctionCalling: false,
    supportsResponseSchema: false,
    supportsLogProbs: false,
    quantization: 'not-available',
  },
  pricing: { input: { usd: 0.05 }, output: { usd: 0.1 } },
  traits: ['default_vision'],
}

const MAX_SPEECH_CHARACTERS = 50_000

const LONG_SPEECH: ModelEntryInput = {
  ...COMMON,
  type: 'music',
  id: 'kokoro-82m-long',
  name: 'Kokoro 82M, long texts',
  description: 'English text to speech on this server, for texts of up to 50,000 characters. Speech only, no music.',
  upstreamModel: 'kokoro-82m',
  created: 1_735_084_800,
  voices: VOICES,
  default_voice: DEFAULT_VOICE,
  supports_speed: true,
  default_speed: 1,
  min_speed: 0.5,
  max_speed: 2,
  min_prompt_length: 1,
  prompt_character_limit: MAX_SPEECH_CHARACTERS,
  pricing: { per_thousand_characters: { usd: 0.001 } },
}

const MAX_WORDS = 400

const SLIDESHOW: ModelEntryInput = {
  ...COMMON,
  type: 'video',
  id: 'picture-film',
  name: 'Slideshow',
  description:
    'Makes an MP4 slideshow of one or two of your images, with a slow zoom, your text read aloud in English, and ' +
    'captions. It generates no images.',
  upstreamModel: 'picture-film',
  created: 1_784_332_800,
  constraints: {
    model_type: 'image-to-video',
    aspect_ratios: ['16:9', '9:16', '1:1', '4:3', '3:4'],
    resolutions: ['480p', '720p'],
    durations: ['Auto', '5s', '10s', '15s', '20s', '25s', '30s'],
    audio: true,
    audio_configurable: true,
    prompt_character_limit: MAX_WORDS,
  },
  price: { perSecond: 0.002 },
}
