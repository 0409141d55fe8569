import { z } from 'zod'
import { WIRE_PRICING } from '@/lib/contract/model-prices.schema'
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

/** Query of `GET /models`. Unknown parameters are ignored. */
export const ModelListQuery = z.object({ type: z.enum([...MODEL_TYPES, 'all', 'code']).default('text') })
export type ModelListQuery = z.output<typeof ModelListQuery>

/** Query of `GET /models/traits` and `/models/compatibility_mapping`. */
export const ModelTypeQuery = z.object({ type: z.enum(MODEL_TYPES).default('text') })

const time = z.iso.datetime()

const CommonSpec = {
  name: z.string().optional(),
  description: z.string().optional(),
  modelSource: z.string().optional(),
  privacy: z.enum(['private', 'anonymized']),
  traits: z.array(z.string()).optional(),
  offline: z.boolean().optional(),
  acceptsTestCredit: z.literal(false).optional(),
  beta: z.boolean().optional(),
  betaModel: z.boolean().optional(),
  uncensored: z.literal(true).optional(),
  demo: z.literal(true).optional(),
  regionRestrictions: z.array(z.string()).optional(),
  deprecation: z
    .object({
      autoRemap: z.boolean(),
      date: time,
      removesAt: time,
      startsAt: time.optional(),
      replacementModelId: z.string().optional(),
    })
    .optional(),
}

const recordOf = <T extends ModelType, Spec extends z.ZodRawShape>(type: T, spec: Spec) =>
  z.object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.literal('service'),
    type: z.literal(type),
    context_length: z.int().optional(),
    model_spec: z.object({ ...CommonSpec, ...spec }),
  })

/** One model as `/models` shows it. */
export const ModelRecord = z.discriminatedUnion('type', [
  recordOf('text', {
    ...FIELDS_BY_TYPE.text,
    capabilities: Capabilities,
    constraints: TextConstraints,
    pricing: WIRE_PRICING.text.optional(),
  }),
  recordOf('embedding', { ...FIELDS_BY_TYPE.embedding, pricing: WIRE_PRICING.embedding.optional() }),
  recordOf('image', { ...FIELDS_BY_TYPE.image, pricing: WIRE_PRICING.image.optional() }),
  recordOf('inpaint', { ...FIELDS_BY_TYPE.inpaint, pricing: WIRE_PRICING.inpaint.optional() }),
  recordOf('upscale', { pricing: WIRE_PRICING.upscale.optional() }),
  recordOf('tts', { ...FIELDS_BY_TYPE.tts, pricing: WIRE_PRICING.tts.optional() }),
  recordOf('asr', { pricing: WIRE_PRICING.asr.optional() }),
  recordOf('music', { ...FIELDS_BY_TYPE.music, pricing: WIRE_PRICING.music.optional() }),
  recordOf('video', FIELDS_BY_TYPE.video),
])
export type ModelRecord = z.output<typeof ModelRecord>

/** Reply of `GET /models`. */
export const ModelList = z.object({
  object: z.literal('list'),
  type: ModelListQuery.shape.type.unwrap(),
  data: z.array(ModelRecord),
})
export type ModelList = z.output<typeof ModelList>

/** Reply of `GET /models/traits` and `/models/compatibility_mapping`: a name → the id of the model it stands for. */
export const ModelNames = z.object({
  object: z.literal('list'),
  type: z.enum(MODEL_TYPES),
  data: z.record(z.string(), z.string()),
})
export type ModelNames = z.output<typeof ModelNames>
