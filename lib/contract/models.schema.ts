import { z } from 'zod'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'

// Source for this file: API contract, models.md.

/** Dollars per million tokens. Stops operators who enter thousandths as dollars. */
export const MAX_MODEL_PRICE_USD = 1_000
const MAX_TIERS = 50

/** Prices per million units, per million units that may not be free, and per unit. */
type Leaves<P extends z.ZodType> = { million: P; sold: P; one: P }

export function pricingByType<P extends z.ZodType>({ million, sold, one }: Leaves<P>) {
  const cache = {
    cache_input: million.optional().meta({ description: 'Price per million tokens read from the cache.' }),
    cache_write: million.optional().meta({ description: 'Price per million tokens written to the cache.' }),
  }
  const tokens = {
    input: sold.meta({ description: 'Price per million input tokens.' }),
    output: sold.meta({ description: 'Price per million output tokens.' }),
    ...cache,
  }
  const tiers = z.record(z.string().min(1).max(20), one).refine((map) => Object.keys(map).length <= MAX_TIERS)
  const qualities = z.strictObject({
    low: one.optional().meta({ description: 'Price at low quality.' }),
    medium: one.optional().meta({ description: 'Price at medium quality.' }),
    high: one.optional().meta({ description: 'Price at high quality.' }),
  })
  const quality = z.record(z.string().min(1).max(20), qualities)
  const upscale = z.strictObject({
    '2x': one.meta({ description: 'Price of upscaling by 2.' }),
    '4x': one.meta({ description: 'Price of upscaling by 4.' }),
  })
  return {
    text: z.strictObject({
      ...tokens,
      extended: z
        .strictObject({
          context_token_threshold: z
            .int()
            .min(1)
            .meta({ description: 'Length from which a prompt counts as long, in tokens.' }),
          ...tokens,
        })
        .optional()
        .meta({ description: 'Prices of the whole request if the prompt is long.' }),
    }),
    embedding: z.strictObject({
      input: million.meta({ description: 'Price per million input tokens, or per million characters of speech.' }),
      output: million.optional().meta({ description: 'Price per million output tokens.' }),
    }),
    image: z
      .strictObject({
        generation: one.optional().meta({ description: 'Price per generation.' }),
        resolutions: tiers.optional().meta({ description: 'Price per image, by resolution.' }),
        quality: quality.optional().meta({ description: 'Price per image, by quality.' }),
        upscale: upscale.meta({ description: 'Price per upscaled image.' }),
      })
      .refine((pricing) => pricing.generation !== undefined || pricing.resolutions !== undefined, {
        error: 'needs `generation` or `resolutions`',
      }),
    inpaint: z.strictObject({
      inpaint: one.meta({ description: 'Price per edited image.' }),
      resolutions: tiers.optional().meta({ description: 'Price per image, by resolution.' }),
      quality: quality.optional().meta({ description: 'Price per image, by quality.' }),
      inputImages: z
        .strictObject({
          included: z.int().min(0).meta({ description: 'Number of free images.' }),
          additional: one.meta({ description: 'Price per additional image.' }),
        })
        .optional()
        .meta({ description: 'Price of reference images.' }),
    }),
    upscale: z.strictObject({
      generation: one.optional().meta({ description: 'Price per generation.' }),
      upscale: upscale.meta({ description: 'Price per upscaled image.' }),
    }),
    tts: z.strictObject({
      input: million.meta({ description: 'Price per million input tokens, or per million characters of speech.' }),
    }),
    asr: z.strictObject({
      per_audio_second: one.meta({ description: 'Price per second of audio; a started second counts in full.' }),
    }),
    music: z.strictObject({
      generation: one.optional().meta({ description: 'Price per generation.' }),
      durations: z
        .record(
          z.string().regex(/^\d{1,5}$/),
          z.strictObject({
            usd: z.number().min(0).max(MAX_MODEL_PRICE_USD).meta({ description: 'Price in US dollars.' }),
            diem: z.number().optional().meta({ description: 'Price in DIEM, the daily credit from staked tokens.' }),
            min_seconds: z.number().meta({ description: 'Minimum duration in seconds.' }),
            max_seconds: z.number().meta({ description: 'Maximum duration in seconds.' }),
          }),
        )
        .optional()
        .meta({ description: 'Price per track, by duration.' }),
      per_second: one.optional().meta({ description: 'Price per generated second.' }),
      per_thousand_characters: one.optional().meta({ description: 'Price per thousand characters of speech.' }),
    }),
  } satisfies Partial<Record<ModelType, z.ZodType>>
}

const WirePrice = z.strictObject({
  usd: z.number().min(0).meta({ description: 'Price in US dollars.' }),
  diem: z.number().min(0).meta({ description: 'Price in DIEM, the daily credit from staked tokens.' }),
})

const WIRE = { million: WirePrice, sold: WirePrice, one: WirePrice }

const WIRE_PRICING = pricingByType(WIRE)

const count = z.int().min(1)
const characters = z.int().min(1)
const seconds = z.number().positive()
const names = z.array(z.string().min(1).max(100)).max(100)
const setting = z.strictObject({ default: z.number().meta({ description: 'Default value.' }) })
const quality = z.enum(['low', 'medium', 'high'])

const QUANTIZATIONS = ['fp4', 'fp8', 'fp16', 'bf16', 'int8', 'int4', 'not-available'] as const
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

const capabilityFlags = {
  optimizedForCode: z.boolean().meta({ description: 'Optimized for code.' }),
  supportsFunctionCalling: z.boolean().meta({ description: 'Supports tool calls.' }),
  supportsAudioInput: z.boolean().meta({ description: 'Accepts audio.' }),
  supportsReasoning: z.boolean().meta({ description: 'Supports reasoning.' }),
  supportsReasoningEffort: z.boolean().meta({ description: 'Accepts `reasoning_effort`.' }),
  supportsResponseSchema: z.boolean().meta({ description: 'Supports JSON output that matches a schema.' }),
  supportsMultipleImages: z.boolean().meta({ description: 'Accepts several images per request.' }),
  supportsVision: z.boolean().meta({ description: 'Accepts images.' }),
  supportsVideoInput: z.boolean().meta({ description: 'Accepts video.' }),
  supportsWebSearch: z.boolean().meta({ description: 'Supports web search.' }),
  supportsLogProbs: z.boolean().meta({ description: 'Returns log probabilities.' }),
  supportsTeeAttestation: z.boolean().meta({ description: 'Runs on hardware with remote attestation (TEE).' }),
  supportsE2EE: z.boolean().meta({ description: 'Accepts end-to-end encrypted prompts.' }),
  supportsXSearch: z.boolean().meta({ description: 'Supports search by the model vendor.' }),
}

type CapabilityFlag = keyof typeof capabilityFlags
export const CAPABILITY_FLAGS = Object.keys(capabilityFlags) as CapabilityFlag[]

export const Capabilities = z.strictObject({
  ...capabilityFlags,
  quantization: z.enum(QUANTIZATIONS).meta({ description: 'Quantization of the weights.' }),
  reasoningEffortOptions: z
    .array(z.enum(EFFORTS))
    .min(1)
    .optional()
    .meta({ description: 'Supported values of `reasoning_effort`.' }),
  defaultReasoningEffort: z.enum(EFFORTS).optional().meta({ description: 'Default `reasoning_effort`.' }),
  maxImages: count.optional().meta({ description: 'Maximum number of images per request.' }),
  maxVideos: count.optional().meta({ description: 'Maximum number of videos per request.' }),
})

export const TextConstraints = z.strictObject({
  temperature: setting.meta({ description: 'Sampling temperature.' }),
  top_p: setting.meta({ description: 'Nucleus sampling probability.' }),
  frequency_penalty: setting.optional().meta({ description: 'Penalty for frequently used tokens.' }),
  presence_penalty: setting.optional().meta({ description: 'Penalty for tokens already used.' }),
  repetition_penalty: setting.optional().meta({ description: 'Penalty for repetition.' }),
})

const textFields = {
  availableContextTokens: count.optional().meta({ description: 'Size of the context in tokens.' }),
  maxCompletionTokens: count.optional().meta({ description: 'Maximum number of tokens to generate.' }),
}

const embeddingFields = {
  embeddingDimensions: count.optional().meta({ description: 'Number of dimensions of a vector.' }),
  maxInputTokens: count.optional().meta({ description: 'Maximum number of tokens per text.' }),
  supportsCustomDimensions: z.literal(true).optional(),
}

const imageFields = {
  supportsStyleReferences: z.boolean().optional().meta({ description: 'Accepts style reference images.' }),
  supportsWebSearch: z.boolean().optional().meta({ description: 'Supports web search.' }),
  supportsOptimizePromptThinking: z.boolean().optional().meta({ description: 'Supports reasoning about the prompt.' }),
  constraints: z
    .strictObject({
      promptCharacterLimit: characters.meta({ description: 'Maximum length of the prompt in characters.' }),
      steps: z
        .strictObject({
          default: count.meta({ description: 'Default value.' }),
          max: count.meta({ description: 'Maximum value.' }),
        })
        .meta({ description: 'Number of inference steps.' }),
      widthHeightDivisor: count.meta({ description: 'Divisor of width and height.' }),
      aspectRatios: names.optional().meta({ description: 'Supported aspect ratios.' }),
      defaultAspectRatio: z.string().optional().meta({ description: 'Default aspect ratio.' }),
      resolutions: names.optional().meta({ description: 'Supported resolutions.' }),
      defaultResolution: z.string().optional().meta({ description: 'Default resolution.' }),
      qualities: z.array(quality).optional().meta({ description: 'Supported quality levels.' }),
      defaultQuality: quality.optional().meta({ description: 'Default quality.' }),
      maxStyleReferences: count.optional().meta({ description: 'Maximum number of style reference images.' }),
      supportsStyleReferenceStrength: z
        .boolean()
        .optional()
        .meta({ description: 'Supports weights for style references.' }),
    })
    .optional()
    .meta({ description: 'Supported values and limits.' }),
}

const inpaintFields = {
  constraints: z
    .strictObject({
      aspectRatios: names.meta({ description: 'Supported aspect ratios.' }),
      promptCharacterLimit: characters.meta({ description: 'Maximum length of the prompt in characters.' }),
      combineImages: z.boolean().meta({ description: 'Supports combining several images.' }),
      maxInputImages: count.optional().meta({ description: 'Maximum number of images per request.' }),
      singleImageAspectRatio: z
        .boolean()
        .optional()
        .meta({ description: 'Accepts an aspect ratio for a single image.' }),
      resolutions: names.optional().meta({ description: 'Supported resolutions.' }),
      defaultResolution: z.string().optional().meta({ description: 'Default resolution.' }),
      qualities: z.array(quality).optional().meta({ description: 'Supported quality levels.' }),
      defaultQuality: quality.optional().meta({ description: 'Default quality.' }),
    })
    .optional()
    .meta({ description: 'Supported values and limits.' }),
}

const ttsFields = {
  voices: names.optional().meta({ description: 'Available voices.' }),
  supported_formats: names.optional().meta({ description: 'Supported file formats.' }),
  default_format: z.string().optional().meta({ description: 'Default file format.' }),
  supports_custom_voice_id: z.boolean().optional().meta({ description: 'Accepts custom voices.' }),
  voice_cloning: z
    .strictObject({
      mode: z
        .enum(['zero_shot', 'persistent'])
        .meta({ description: 'Mode of voice cloning: with each request (`zero_shot`) or once (`persistent`).' }),
      accepted_formats: names.meta({ description: 'Accepted file formats of the sample.' }),
      min_sample_seconds: seconds.meta({ description: 'Minimum duration of the sample in seconds.' }),
      retention_days: z.int().min(0).meta({ description: 'Retention of a cloned voice in days.' }),
    })
    .optional()
    .meta({ description: 'Voice cloning support.' }),
}

const musicFields = {
  supports_lyrics: z.boolean().optional().meta({ description: 'Accepts lyrics.' }),
  lyrics_required: z.boolean().optional().meta({ description: 'Requires lyrics.' }),
  lyrics_character_limit: characters.optional().meta({ description: 'Maximum length of the lyrics in characters.' }),
  supports_lyrics_optimizer: z.boolean().optional().meta({ description: 'Supports writing the lyrics.' }),
  supports_force_instrumental: z.boolean().optional().meta({ description: 'Supports music without vocals.' }),
  supports_loop: z.boolean().optional().meta({ description: 'Supports seamless loops.' }),
  supports_language_code: z.boolean().optional().meta({ description: 'Accepts a language code.' }),
  supports_speed: z.boolean().optional().meta({ description: 'Accepts a speed.' }),
  default_speed: z.number().positive().optional().meta({ description: 'Default speed.' }),
  min_speed: z.number().positive().optional().meta({ description: 'Minimum speed.' }),
  max_speed: z.number().positive().optional().meta({ description: 'Maximum speed.' }),
  voices: names.optional().meta({ description: 'Available voices.' }),
  default_voice: z.string().optional().meta({ description: 'Default voice.' }),
  duration_options: z.array(seconds).optional().meta({ description: 'Supported durations in seconds.' }),
  min_duration: seconds.optional().meta({ description: 'Minimum duration in seconds.' }),
  max_duration: seconds.optional().meta({ description: 'Maximum duration in seconds.' }),
  default_duration: seconds.optional().meta({ description: 'Default duration in seconds.' }),
  min_prompt_length: z.int().min(0).optional().meta({ description: 'Minimum length of the prompt in characters.' }),
  prompt_character_limit: characters.optional().meta({ description: 'Maximum length of the prompt in characters.' }),
  supported_formats: names.optional().meta({ description: 'Supported file formats.' }),
  default_format: z.string().optional().meta({ description: 'Default file format.' }),
}

const videoFields = {
  constraints: z
    .strictObject({
      model_type: z
        .enum(['text-to-video', 'image-to-video', 'video'])
        .meta({ description: 'Input of the model: text, an image or a video.' }),
      aspect_ratios: names.meta({ description: 'Supported aspect ratios.' }),
      resolutions: names.meta({ description: 'Supported resolutions.' }),
      durations: names.meta({ description: 'Supported durations.' }),
      audio: z.boolean().meta({ description: 'Generates audio.' }),
      audio_configurable: z.boolean().meta({ description: 'Audio can be switched on or off.' }),
      prompt_character_limit: characters
        .optional()
        .meta({ description: 'Maximum length of the prompt in characters.' }),
    })
    .optional()
    .meta({ description: 'Supported values and limits.' }),
}

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

export const SPEC_FIELDS: ReadonlySet<string> = new Set(
  MODEL_TYPES.flatMap((type) => Object.keys(FIELDS_BY_TYPE[type])),
)

export const ModelListQuery = z.object({
  type: z
    .enum([...MODEL_TYPES, 'all', 'code'])
    .default('text')
    .meta({ description: 'Filters by type. `code` selects text models optimized for code.' }),
})
export type ModelListQuery = z.output<typeof ModelListQuery>

export const ModelTypeQuery = z.object({
  type: z.enum(MODEL_TYPES).default('text').meta({ description: 'Type of the models.' }),
})

const time = z.iso.datetime()

const CommonSpec = {
  name: z.string().optional().meta({ description: 'Display name of the model.' }),
  description: z.string().optional().meta({ description: 'Description of the model.' }),
  modelSource: z.string().optional().meta({ description: 'Source of the model.' }),
  privacy: z.enum(['private', 'anonymized']).meta({
    description:
      '`private`: prompts stay with the service. `anonymized`: a provider processes prompts without knowing the sender.',
  }),
  traits: z.array(z.string()).optional().meta({ description: 'Traits that currently resolve to the model.' }),
  offline: z.boolean().optional().meta({ description: '`true` if the model is currently unavailable.' }),
  acceptsTestCredit: z.literal(false).optional(),
  beta: z.boolean().optional().meta({ description: '`true` if the model can change without notice.' }),
  betaModel: z.boolean().optional().meta({ description: 'Legacy name of `beta`.' }),
  uncensored: z.literal(true).optional(),
  demo: z.literal(true).optional(),
  regionRestrictions: z
    .array(z.string())
    .optional()
    .meta({ description: 'Countries where the model is not available.' }),
  deprecation: z
    .object({
      autoRemap: z
        .boolean()
        .meta({ description: '`true` if requests are redirected to the replacement after retirement.' }),
      date: time.meta({ description: 'Retirement date.' }),
      removesAt: time.meta({ description: 'Date of removal from the list.' }),
      startsAt: time.optional().meta({ description: 'Date of the announcement.' }),
      replacementModelId: z.string().optional().meta({ description: 'ID of the replacement model.' }),
    })
    .optional()
    .meta({ description: 'Planned retirement of the model.' }),
}

const recordOf = <T extends ModelType, Spec extends z.ZodRawShape>(type: T, spec: Spec) =>
  z.object({
    id: z.string().meta({ description: 'Model ID, for the field `model` of a request.' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Creation time in Unix seconds.' }),
    owned_by: z.literal('service'),
    type: z.literal(type),
    context_length: z.int().optional().meta({ description: 'Size of the context in tokens.' }),
    model_spec: z
      .object({ ...CommonSpec, ...spec })
      .meta({ description: 'Capabilities, limits and prices of the model.' }),
  })

export const ModelRecord = z.discriminatedUnion('type', [
  recordOf('text', {
    ...FIELDS_BY_TYPE.text,
    capabilities: Capabilities.meta({ description: 'Capabilities of the model.' }),
    constraints: TextConstraints.meta({ description: 'Supported values and limits.' }),
    pricing: WIRE_PRICING.text.optional().meta({ description: 'Prices. Missing for free models.' }),
  }),
  recordOf('embedding', {
    ...FIELDS_BY_TYPE.embedding,
    pricing: WIRE_PRICING.embedding.optional().meta({ description: 'Prices. Missing for free models.' }),
  }),
  recordOf('image', {
    ...FIELDS_BY_TYPE.image,
    pricing: WIRE_PRICING.image.optional().meta({ description: 'Prices. Missing for free models.' }),
  }),
  recordOf('inpaint', {
    ...FIELDS_BY_TYPE.inpaint,
    pricing: WIRE_PRICING.inpaint.optional().meta({ description: 'Prices. Missing for free models.' }),
  }),
  recordOf('upscale', {
    pricing: WIRE_PRICING.upscale.optional().meta({ description: 'Prices. Missing for free models.' }),
  }),
  recordOf('tts', {
    ...FIELDS_BY_TYPE.tts,
    pricing: WIRE_PRICING.tts.optional().meta({ description: 'Prices. Missing for free models.' }),
  }),
  recordOf('asr', {
    pricing: WIRE_PRICING.asr.optional().meta({ description: 'Prices. Missing for free models.' }),
  }),
  recordOf('music', {
    ...FIELDS_BY_TYPE.music,
    pricing: WIRE_PRICING.music.optional().meta({ description: 'Prices. Missing for free models.' }),
  }),
  recordOf('video', FIELDS_BY_TYPE.video),
])
export type ModelRecord = z.output<typeof ModelRecord>
export type ModelOf<T extends ModelType> = Extract<ModelRecord, { type: T }>

export const ModelList = z.object({
  object: z.literal('list'),
  type: ModelListQuery.shape.type.unwrap().meta({ description: 'Requested type.' }),
  data: z.array(ModelRecord).meta({ description: 'Models, newest first.' }),
})
export type ModelList = z.output<typeof ModelList>

export const ModelNames = z.object({
  object: z.literal('list'),
  type: z.enum(MODEL_TYPES).meta({ description: 'Requested type.' }),
  data: z.record(z.string(), z.string()).meta({ description: 'Model ID for each name.' }),
})
export type ModelNames = z.output<typeof ModelNames>
