import { z } from 'zod'
import { REASONING_EFFORTS } from '@/lib/contract/chat.schema'
import { MAX_MODEL_PRICE_USD, MODEL_TYPES, type ModelType } from '@/lib/contract/models'

// Source for this file: API contract, models.md.

export const modelName = z
  .string()
  .min(1)
  .max(256)
  .describe('Model ID from `GET /models`, a trait such as `default`, or a name that is mapped to a model.')

const MAX_TIERS = 50

/** Prices per million units, per million units that may not be free, and per unit. */
type Leaves<P extends z.ZodType> = { million: P; sold: P; one: P }

export function pricingByType<P extends z.ZodType>({ million, sold, one }: Leaves<P>) {
  const cache = {
    cache_input: million.optional().describe('Price per million tokens read from the cache.'),
    cache_write: million.optional().describe('Price per million tokens written to the cache.'),
  }
  const tokens = {
    input: sold.describe('Price per million input tokens.'),
    output: sold.describe('Price per million output tokens.'),
    ...cache,
  }
  const tiers = z.record(z.string().min(1).max(20), one).refine((map) => Object.keys(map).length <= MAX_TIERS)
  const qualities = z.strictObject({
    low: one.optional().describe('Price at low quality.'),
    medium: one.optional().describe('Price at medium quality.'),
    high: one.optional().describe('Price at high quality.'),
  })
  const quality = z.record(z.string().min(1).max(20), qualities)
  const upscale = z.strictObject({
    '2x': one.describe('Price of upscaling by 2.'),
    '4x': one.describe('Price of upscaling by 4.'),
  })
  return {
    text: z.strictObject({
      ...tokens,
      extended: z
        .strictObject({
          context_token_threshold: z.int().min(1).describe('Length from which a prompt counts as long, in tokens.'),
          ...tokens,
        })
        .optional()
        .describe('Prices of the whole request if the prompt is long.'),
    }),
    embedding: z.strictObject({
      input: million.describe('Price per million input tokens, or per million characters of speech.'),
      output: million.optional().describe('Price per million output tokens.'),
    }),
    image: z
      .strictObject({
        generation: one.optional().describe('Price per generation.'),
        resolutions: tiers.optional().describe('Price per image, by resolution.'),
        quality: quality.optional().describe('Price per image, by quality.'),
        upscale: upscale.describe('Price per upscaled image.'),
      })
      .refine((pricing) => pricing.generation !== undefined || pricing.resolutions !== undefined, {
        error: 'needs `generation` or `resolutions`',
      }),
    inpaint: z.strictObject({
      inpaint: one.describe('Price per edited image.'),
      resolutions: tiers.optional().describe('Price per image, by resolution.'),
      quality: quality.optional().describe('Price per image, by quality.'),
      inputImages: z
        .strictObject({
          included: z.int().min(0).describe('Number of free images.'),
          additional: one.describe('Price per additional image.'),
        })
        .optional()
        .describe('Price of reference images.'),
    }),
    upscale: z.strictObject({
      generation: one.optional().describe('Price per generation.'),
      upscale: upscale.describe('Price per upscaled image.'),
    }),
    tts: z.strictObject({
      input: million.describe('Price per million input tokens, or per million characters of speech.'),
    }),
    asr: z.strictObject({
      per_audio_second: one.describe('Price per second of audio; a started second counts in full.'),
    }),
    music: z.strictObject({
      generation: one.optional().describe('Price per generation.'),
      durations: z
        .record(
          z.string().regex(/^\d{1,5}$/),
          z.strictObject({
            usd: z.number().min(0).max(MAX_MODEL_PRICE_USD).describe('Price in US dollars.'),
            diem: z.number().optional().describe('Price in DIEM, the daily credit from staked tokens.'),
            min_seconds: z.number().describe('Minimum duration in seconds.'),
            max_seconds: z.number().describe('Maximum duration in seconds.'),
          }),
        )
        .optional()
        .describe('Price per track, by duration.'),
      per_second: one.optional().describe('Price per generated second.'),
      per_thousand_characters: one.optional().describe('Price per thousand characters of speech.'),
    }),
  } satisfies Partial<Record<ModelType, z.ZodType>>
}

const WirePrice = z.strictObject({
  usd: z.number().min(0).describe('Price in US dollars.'),
  diem: z.number().min(0).describe('Price in DIEM, the daily credit from staked tokens.'),
})

const WIRE = { million: WirePrice, sold: WirePrice, one: WirePrice }

const WIRE_PRICING = pricingByType(WIRE)

const count = z.int().min(1)
const characters = z.int().min(1)
const seconds = z.number().positive()
const names = z.array(z.string().min(1).max(100)).max(100)
const setting = z.strictObject({ default: z.number().describe('Default value.') })
const quality = z.enum(['low', 'medium', 'high'])

const QUANTIZATIONS = ['fp4', 'fp8', 'fp16', 'bf16', 'int8', 'int4', 'not-available'] as const

const capabilityFlags = {
  optimizedForCode: z.boolean().describe('Optimized for code.'),
  supportsFunctionCalling: z.boolean().describe('Supports tool calls.'),
  supportsAudioInput: z.boolean().describe('Accepts audio.'),
  supportsReasoning: z.boolean().describe('Supports reasoning.'),
  supportsReasoningEffort: z.boolean().describe('Accepts `reasoning_effort`.'),
  supportsResponseSchema: z.boolean().describe('Supports JSON output that matches a schema.'),
  supportsMultipleImages: z.boolean().describe('Accepts several images per request.'),
  supportsVision: z.boolean().describe('Accepts images.'),
  supportsVideoInput: z.boolean().describe('Accepts video.'),
  supportsWebSearch: z.boolean().describe('Supports web search.'),
  supportsLogProbs: z.boolean().describe('Returns log probabilities.'),
  supportsTeeAttestation: z.boolean().describe('Runs on hardware with remote attestation (TEE).'),
  supportsE2EE: z.boolean().describe('Accepts end-to-end encrypted prompts.'),
  supportsXSearch: z.boolean().describe('Supports search by the model vendor.'),
}

type CapabilityFlag = keyof typeof capabilityFlags
export const CAPABILITY_FLAGS = Object.keys(capabilityFlags) as CapabilityFlag[]

export const Capabilities = z.strictObject({
  ...capabilityFlags,
  quantization: z.enum(QUANTIZATIONS).describe('Quantization of the weights.'),
  reasoningEffortOptions: z
    .array(z.enum(REASONING_EFFORTS))
    .min(1)
    .optional()
    .describe('Supported values of `reasoning_effort`.'),
  defaultReasoningEffort: z.enum(REASONING_EFFORTS).optional().describe('Default `reasoning_effort`.'),
  maxImages: count.optional().describe('Maximum number of images per request.'),
  maxVideos: count.optional().describe('Maximum number of videos per request.'),
})

export const TextConstraints = z.strictObject({
  temperature: setting.describe('Sampling temperature.'),
  top_p: setting.describe('Nucleus sampling probability.'),
  frequency_penalty: setting.optional().describe('Penalty for frequently used tokens.'),
  presence_penalty: setting.optional().describe('Penalty for tokens already used.'),
  repetition_penalty: setting.optional().describe('Penalty for repetition.'),
})

const textFields = {
  availableContextTokens: count.optional().describe('Size of the context in tokens.'),
  maxCompletionTokens: count.optional().describe('Maximum number of tokens to generate.'),
}

const embeddingFields = {
  embeddingDimensions: count.optional().describe('Number of dimensions of a vector.'),
  maxInputTokens: count.optional().describe('Maximum number of tokens per text.'),
  supportsCustomDimensions: z.literal(true).optional(),
}

const imageFields = {
  supportsStyleReferences: z.boolean().optional().describe('Accepts style reference images.'),
  supportsWebSearch: z.boolean().optional().describe('Supports web search.'),
  supportsOptimizePromptThinking: z.boolean().optional().describe('Supports reasoning about the prompt.'),
  constraints: z
    .strictObject({
      promptCharacterLimit: characters.describe('Maximum length of the prompt in characters.'),
      steps: z
        .strictObject({
          default: count.describe('Default value.'),
          max: count.describe('Maximum value.'),
        })
        .describe('Number of inference steps.'),
      widthHeightDivisor: count.describe('Divisor of width and height.'),
      aspectRatios: names.optional().describe('Supported aspect ratios.'),
      defaultAspectRatio: z.string().optional().describe('Default aspect ratio.'),
      resolutions: names.optional().describe('Supported resolutions.'),
      defaultResolution: z.string().optional().describe('Default resolution.'),
      qualities: z.array(quality).optional().describe('Supported quality levels.'),
      defaultQuality: quality.optional().describe('Default quality.'),
      maxStyleReferences: count.optional().describe('Maximum number of style reference images.'),
      supportsStyleReferenceStrength: z.boolean().optional().describe('Supports weights for style references.'),
    })
    .optional()
    .describe('Supported values and limits.'),
}

const inpaintFields = {
  constraints: z
    .strictObject({
      aspectRatios: names.describe('Supported aspect ratios.'),
      promptCharacterLimit: characters.describe('Maximum length of the prompt in characters.'),
      combineImages: z.boolean().describe('Supports combining several images.'),
      maxInputImages: count.optional().describe('Maximum number of images per request.'),
      singleImageAspectRatio: z.boolean().optional().describe('Accepts an aspect ratio for a single image.'),
      resolutions: names.optional().describe('Supported resolutions.'),
      defaultResolution: z.string().optional().describe('Default resolution.'),
      qualities: z.array(quality).optional().describe('Supported quality levels.'),
      defaultQuality: quality.optional().describe('Default quality.'),
    })
    .optional()
    .describe('Supported values and limits.'),
}

const ttsFields = {
  voices: names.optional().describe('Available voices.'),
  supported_formats: names.optional().describe('Supported file formats.'),
  default_format: z.string().optional().describe('Default file format.'),
  supports_custom_voice_id: z.boolean().optional().describe('Accepts custom voices.'),
  voice_cloning: z
    .strictObject({
      mode: z
        .enum(['zero_shot', 'persistent'])
        .describe('Mode of voice cloning: with each request (`zero_shot`) or once (`persistent`).'),
      accepted_formats: names.describe('Accepted file formats of the sample.'),
      min_sample_seconds: seconds.describe('Minimum duration of the sample in seconds.'),
      retention_days: z.int().min(0).describe('Retention of a cloned voice in days.'),
    })
    .optional()
    .describe('Voice cloning support.'),
}

const musicFields = {
  supports_lyrics: z.boolean().optional().describe('Accepts lyrics.'),
  lyrics_required: z.boolean().optional().describe('Requires lyrics.'),
  lyrics_character_limit: characters.optional().describe('Maximum length of the lyrics in characters.'),
  supports_lyrics_optimizer: z.boolean().optional().describe('Supports writing the lyrics.'),
  supports_force_instrumental: z.boolean().optional().describe('Supports music without vocals.'),
  supports_loop: z.boolean().optional().describe('Supports seamless loops.'),
  supports_language_code: z.boolean().optional().describe('Accepts a language code.'),
  supports_speed: z.boolean().optional().describe('Accepts a speed.'),
  default_speed: z.number().positive().optional().describe('Default speed.'),
  min_speed: z.number().positive().optional().describe('Minimum speed.'),
  max_speed: z.number().positive().optional().describe('Maximum speed.'),
  voices: names.optional().describe('Available voices.'),
  default_voice: z.string().optional().describe('Default voice.'),
  duration_options: z.array(seconds).optional().describe('Supported durations in seconds.'),
  min_duration: seconds.optional().describe('Minimum duration in seconds.'),
  max_duration: seconds.optional().describe('Maximum duration in seconds.'),
  default_duration: seconds.optional().describe('Default duration in seconds.'),
  min_prompt_length: z.int().min(0).optional().describe('Minimum length of the prompt in characters.'),
  prompt_character_limit: characters.optional().describe('Maximum length of the prompt in characters.'),
  supported_formats: names.optional().describe('Supported file formats.'),
  default_format: z.string().optional().describe('Default file format.'),
}

const videoFields = {
  constraints: z
    .strictObject({
      model_type: z
        .enum(['text-to-video', 'image-to-video', 'video'])
        .describe('Input of the model: text, an image or a video.'),
      aspect_ratios: names.describe('Supported aspect ratios.'),
      resolutions: names.describe('Supported resolutions.'),
      durations: names.describe('Supported durations.'),
      audio: z.boolean().describe('Generates audio.'),
      audio_configurable: z.boolean().describe('Audio can be switched on or off.'),
      prompt_character_limit: characters.optional().describe('Maximum length of the prompt in characters.'),
    })
    .optional()
    .describe('Supported values and limits.'),
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
    .describe('Filters by type. `code` selects text models optimized for code.'),
})
export type ModelListQuery = z.output<typeof ModelListQuery>

export const ModelTypeQuery = z.object({
  type: z.enum(MODEL_TYPES).default('text').describe('Type of the models.'),
})

const time = z.iso.datetime()

const CommonSpec = {
  name: z.string().optional().describe('Display name of the model.'),
  description: z.string().optional().describe('Description of the model.'),
  modelSource: z.string().optional().describe('Source of the model.'),
  privacy: z
    .enum(['private', 'anonymized'])
    .describe(
      '`private`: prompts stay with the service. `anonymized`: a provider processes prompts without knowing the sender.',
    ),
  traits: z.array(z.string()).optional().describe('Traits that currently resolve to the model.'),
  offline: z.boolean().optional().describe('`true` if the model is currently unavailable.'),
  acceptsTestCredit: z.literal(false).optional(),
  beta: z.boolean().optional().describe('`true` if the model can change without notice.'),
  betaModel: z.boolean().optional().describe('Legacy name of `beta`.'),
  uncensored: z.literal(true).optional(),
  demo: z.literal(true).optional(),
  regionRestrictions: z.array(z.string()).optional().describe('Countries where the model is not available.'),
  deprecation: z
    .object({
      autoRemap: z.boolean().describe('`true` if requests are redirected to the replacement after retirement.'),
      date: time.describe('Retirement date.'),
      removesAt: time.describe('Date of removal from the list.'),
      startsAt: time.optional().describe('Date of the announcement.'),
      replacementModelId: z.string().optional().describe('ID of the replacement model.'),
    })
    .optional()
    .describe('Planned retirement of the model.'),
}

const recordOf = <T extends ModelType, Spec extends z.ZodRawShape>(type: T, spec: Spec) =>
  z.object({
    id: z.string().describe('Model ID, for the field `model` of a request.'),
    object: z.literal('model'),
    created: z.int().describe('Creation time in Unix seconds.'),
    owned_by: z.literal('service'),
    type: z.literal(type),
    context_length: z.int().optional().describe('Size of the context in tokens.'),
    model_spec: z.object({ ...CommonSpec, ...spec }).describe('Capabilities, limits and prices of the model.'),
  })

const pricedRecordOf = <T extends keyof typeof WIRE_PRICING, Spec extends z.ZodRawShape>(type: T, spec: Spec) =>
  recordOf(type, { ...spec, pricing: z.optional(WIRE_PRICING[type]).describe('Prices. Missing for free models.') })

export const ModelRecord = z.discriminatedUnion('type', [
  pricedRecordOf('text', {
    ...FIELDS_BY_TYPE.text,
    capabilities: Capabilities.describe('Capabilities of the model.'),
    constraints: TextConstraints.describe('Supported values and limits.'),
  }),
  pricedRecordOf('embedding', FIELDS_BY_TYPE.embedding),
  pricedRecordOf('image', FIELDS_BY_TYPE.image),
  pricedRecordOf('inpaint', FIELDS_BY_TYPE.inpaint),
  pricedRecordOf('upscale', {}),
  pricedRecordOf('tts', FIELDS_BY_TYPE.tts),
  pricedRecordOf('asr', {}),
  pricedRecordOf('music', FIELDS_BY_TYPE.music),
  recordOf('video', FIELDS_BY_TYPE.video),
])
export type ModelRecord = z.output<typeof ModelRecord>
export type ModelOf<T extends ModelType> = Extract<ModelRecord, { type: T }>

export const ModelList = z.object({
  object: z.literal('list'),
  type: ModelListQuery.shape.type.unwrap().describe('Requested type.'),
  data: z.array(ModelRecord).describe('Models, newest first.'),
})
export type ModelList = z.output<typeof ModelList>

export const ModelNames = z.object({
  object: z.literal('list'),
  type: z.enum(MODEL_TYPES).describe('Requested type.'),
  data: z.record(z.string(), z.string()).describe('Model ID for each name.'),
})
export type ModelNames = z.output<typeof ModelNames>
