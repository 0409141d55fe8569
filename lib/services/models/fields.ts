import { z } from 'zod'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'

/**
 * The fields of a model record that depend on the model's type, as `/models` shows them and as a models file gives
 * them: written once, for both. Source: API contract, models.md.
 */

const count = z.int().min(1)
const characters = z.int().min(1)
const seconds = z.number().positive()
const names = z.array(z.string().min(1).max(100)).max(100)
const setting = z.strictObject({ default: z.number() })
const quality = z.enum(['low', 'medium', 'high'])

const QUANTIZATIONS = ['fp4', 'fp8', 'fp16', 'bf16', 'int8', 'int4', 'not-available'] as const
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** The required flags of a text model's `capabilities`. */
export const CAPABILITY_FLAGS = [
  'optimizedForCode',
  'supportsFunctionCalling',
  'supportsAudioInput',
  'supportsReasoning',
  'supportsReasoningEffort',
  'supportsResponseSchema',
  'supportsMultipleImages',
  'supportsVision',
  'supportsVideoInput',
  'supportsWebSearch',
  'supportsLogProbs',
  'supportsTeeAttestation',
  'supportsE2EE',
  'supportsXSearch',
] as const

type CapabilityFlag = (typeof CAPABILITY_FLAGS)[number]

const flags = Object.fromEntries(CAPABILITY_FLAGS.map((name) => [name, z.boolean()])) as Record<
  CapabilityFlag,
  z.ZodBoolean
>

export const Capabilities = z.strictObject({
  ...flags,
  quantization: z.enum(QUANTIZATIONS),
  reasoningEffortOptions: z.array(z.enum(EFFORTS)).min(1).optional(),
  defaultReasoningEffort: z.enum(EFFORTS).optional(),
  maxImages: count.optional(),
  maxVideos: count.optional(),
})

export const TextConstraints = z.strictObject({
  temperature: setting,
  top_p: setting,
  frequency_penalty: setting.optional(),
  presence_penalty: setting.optional(),
  repetition_penalty: setting.optional(),
})

const textFields = {
  availableContextTokens: count.optional(),
  maxCompletionTokens: count.optional(),
}

const embeddingFields = {
  embeddingDimensions: count.optional(),
  maxInputTokens: count.optional(),
  supportsCustomDimensions: z.literal(true).optional(),
}

const imageFields = {
  supportsStyleReferences: z.boolean().optional(),
  supportsWebSearch: z.boolean().optional(),
  supportsOptimizePromptThinking: z.boolean().optional(),
  constraints: z
    .strictObject({
      promptCharacterLimit: characters,
      steps: z.strictObject({ default: count, max: count }),
      widthHeightDivisor: count,
      aspectRatios: names.optional(),
      defaultAspectRatio: z.string().optional(),
      resolutions: names.optional(),
      defaultResolution: z.string().optional(),
      qualities: z.array(quality).optional(),
      defaultQuality: quality.optional(),
      maxStyleReferences: count.optional(),
      supportsStyleReferenceStrength: z.boolean().optional(),
    })
    .optional(),
}

const inpaintFields = {
  constraints: z
    .strictObject({
      aspectRatios: names,
      promptCharacterLimit: characters,
      combineImages: z.boolean(),
      maxInputImages: count.optional(),
      singleImageAspectRatio: z.boolean().optional(),
      resolutions: names.optional(),
      defaultResolution: z.string().optional(),
      qualities: z.array(quality).optional(),
      defaultQuality: quality.optional(),
    })
    .optional(),
}

const ttsFields = {
  voices: names.optional(),
  supported_formats: names.optional(),
  default_format: z.string().optional(),
  supports_custom_voice_id: z.boolean().optional(),
  voice_cloning: z
    .strictObject({
      mode: z.enum(['zero_shot', 'persistent']),
      accepted_formats: names,
      min_sample_seconds: seconds,
      retention_days: z.int().min(0),
    })
    .optional(),
}

const musicFields = {
  supports_lyrics: z.boolean().optional(),
  lyrics_required: z.boolean().optional(),
  lyrics_character_limit: characters.optional(),
  supports_lyrics_optimizer: z.boolean().optional(),
  supports_force_instrumental: z.boolean().optional(),
  supports_loop: z.boolean().optional(),
  supports_language_code: z.boolean().optional(),
  supports_speed: z.boolean().optional(),
  default_speed: z.number().positive().optional(),
  min_speed: z.number().positive().optional(),
  max_speed: z.number().positive().optional(),
  voices: names.optional(),
  default_voice: z.string().optional(),
  duration_options: z.array(seconds).optional(),
  min_duration: seconds.optional(),
  max_duration: seconds.optional(),
  default_duration: seconds.optional(),
  min_prompt_length: z.int().min(0).optional(),
  prompt_character_limit: characters.optional(),
  supported_formats: names.optional(),
  default_format: z.string().optional(),
}

const videoFields = {
  constraints: z
    .strictObject({
      model_type: z.enum(['text-to-video', 'image-to-video', 'video']),
      aspect_ratios: names,
      resolutions: names,
      durations: names,
      audio: z.boolean(),
      audio_configurable: z.boolean(),
      prompt_character_limit: characters.optional(),
    })
    .optional(),
}

/** Fields of `model_spec` by type, all optional, without `capabilities`, a text model's `constraints`, and `pricing`. */
export const FIELDS_BY_TYPE = {
  text: textFields,
  embedding: embeddingFields,
  image: imageFields,
  inpaint: inpaintFields,
  upscale: {},
  tts: ttsFields,
  asr: {},
  music: musicFields,
  video: videoFields,
} as const satisfies Record<ModelType, z.ZodRawShape>

/** Every name in `FIELDS_BY_TYPE`: what of an entry goes into the record as it is. */
export const SPEC_FIELDS: ReadonlySet<string> = new Set(
  MODEL_TYPES.flatMap((type) => Object.keys(FIELDS_BY_TYPE[type])),
)
