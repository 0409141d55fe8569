import { z } from 'zod'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'
import { perMillion, perUnit } from '@/lib/contract/money'

/**
 * Fields of a model record that depend on its type, shared by `/models` and the models file. Source: API contract,
 * models.md.
 */

const count = z.int().min(1)
const characters = z.int().min(1)
const seconds = z.number().positive()
const names = z.array(z.string().min(1).max(100)).max(100)
const setting = z.strictObject({ default: z.number() })
const quality = z.enum(['low', 'medium', 'high'])

const QUANTIZATIONS = ['fp4', 'fp8', 'fp16', 'bf16', 'int8', 'int4', 'not-available'] as const
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

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

/** No model costs as much a million tokens; an operator who types a price of mills in dollars is stopped. */
const MAX_USD = 1_000
const MAX_TIERS = 50

const WirePrice = z.strictObject({ usd: z.number().min(0), diem: z.number().min(0) })

const amount = (fits: (dollars: number) => unknown, least: 'positive' | 'zero') =>
  z
    .number('must be a number of dollars')
    .max(MAX_USD, `is more than ${MAX_USD} USD`)
    .refine((dollars) => (least === 'zero' ? dollars >= 0 : dollars > 0), {
      error: least === 'zero' ? 'cannot be negative' : 'must be more than 0; a free model has no `pricing` at all',
      abort: true,
    })
    .refine((dollars) => isExact(() => fits(dollars)), { error: 'is finer than money is counted here' })

function isExact(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const filePrice = (fits: (dollars: number) => unknown, least: 'positive' | 'zero') =>
  z
    .strictObject({ usd: amount(fits, least), diem: z.number().optional() })
    .refine(({ usd, diem }) => diem === undefined || diem === usd, {
      error: 'must equal `usd`, or be left out',
      path: ['diem'],
    })

type Leaves<P extends z.ZodType> = { million: P; sold: P; one: P }

const FILE = {
  million: filePrice(perMillion, 'zero'),
  sold: filePrice(perMillion, 'positive'),
  one: filePrice(perUnit, 'zero'),
}
const WIRE = { million: WirePrice, sold: WirePrice, one: WirePrice }

function pricingByType<P extends z.ZodType>({ million, sold, one }: Leaves<P>) {
  const cache = { cache_input: million.optional(), cache_write: million.optional() }
  const tokens = { input: sold, output: sold, ...cache }
  const tiers = z.record(z.string().min(1).max(20), one).refine((map) => Object.keys(map).length <= MAX_TIERS)
  const qualities = z.strictObject({ low: one.optional(), medium: one.optional(), high: one.optional() })
  const quality = z.record(z.string().min(1).max(20), qualities)
  const upscale = z.strictObject({ '2x': one, '4x': one })
  return {
    text: z.strictObject({
      ...tokens,
      extended: z.strictObject({ context_token_threshold: z.int().min(1), ...tokens }).optional(),
    }),
    embedding: z.strictObject({ input: million, output: million.optional() }),
    image: z
      .strictObject({ generation: one.optional(), resolutions: tiers.optional(), quality: quality.optional(), upscale })
      .refine((pricing) => pricing.generation !== undefined || pricing.resolutions !== undefined, {
        error: 'needs `generation` or `resolutions`',
      }),
    inpaint: z.strictObject({
      inpaint: one,
      resolutions: tiers.optional(),
      quality: quality.optional(),
      inputImages: z.strictObject({ included: z.int().min(0), additional: one }).optional(),
    }),
    upscale: z.strictObject({ generation: one.optional(), upscale }),
    tts: z.strictObject({ input: million }),
    asr: z.strictObject({ per_audio_second: one }),
    music: z.strictObject({
      generation: one.optional(),
      durations: z
        .record(
          z.string().regex(/^\d{1,5}$/),
          z.strictObject({
            usd: z.number().min(0).max(MAX_USD),
            diem: z.number().optional(),
            min_seconds: z.number(),
            max_seconds: z.number(),
          }),
        )
        .optional(),
      per_second: one.optional(),
      per_thousand_characters: one.optional(),
    }),
  } satisfies Partial<Record<ModelType, z.ZodType>>
}

export const FILE_PRICING = pricingByType(FILE)
export const WIRE_PRICING = pricingByType(WIRE)

export type TextPricing = z.output<typeof FILE_PRICING.text>

export function withDiem(pricing: unknown): unknown {
  if (typeof pricing !== 'object' || pricing === null) return pricing
  const fields = Object.entries(pricing).map(([name, value]) => [name, withDiem(value)])
  return 'usd' in pricing ? { ...Object.fromEntries(fields), diem: pricing.usd } : Object.fromEntries(fields)
}
