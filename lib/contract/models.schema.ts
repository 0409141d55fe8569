import { z } from 'zod'
import { WIRE_PRICING } from '@/lib/contract/model-prices.schema'
import { MODEL_TYPES, type ModelType } from '@/lib/contract/models'

/** Fields of a model by its type, shared by `/models` and models files. Source: API contract, models.md. */

const count = z.int().min(1)
const characters = z.int().min(1)
const seconds = z.number().positive()
const names = z.array(z.string().min(1).max(100)).max(100)
const setting = z.strictObject({ default: z.number().meta({ description: 'What it is unless it is set.' }) })
const quality = z.enum(['low', 'medium', 'high'])

const QUANTIZATIONS = ['fp4', 'fp8', 'fp16', 'bf16', 'int8', 'int4', 'not-available'] as const
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

const capabilityFlags = {
  optimizedForCode: z.boolean().meta({ description: 'Made for code.' }),
  supportsFunctionCalling: z.boolean().meta({ description: 'Calls tools.' }),
  supportsAudioInput: z.boolean().meta({ description: 'Takes audio.' }),
  supportsReasoning: z.boolean().meta({ description: 'Thinks before it answers.' }),
  supportsReasoningEffort: z.boolean().meta({ description: 'Takes `reasoning_effort`.' }),
  supportsResponseSchema: z.boolean().meta({ description: 'Writes JSON by a schema.' }),
  supportsMultipleImages: z.boolean().meta({ description: 'Takes several images at once.' }),
  supportsVision: z.boolean().meta({ description: 'Takes images.' }),
  supportsVideoInput: z.boolean().meta({ description: 'Takes videos.' }),
  supportsWebSearch: z.boolean().meta({ description: 'Can be given web search results.' }),
  supportsLogProbs: z.boolean().meta({ description: 'Tells the probabilities of its tokens.' }),
  supportsTeeAttestation: z.boolean().meta({ description: 'Runs on hardware that attests it.' }),
  supportsE2EE: z.boolean().meta({ description: 'Takes encrypted prompts.' }),
  supportsXSearch: z.boolean().meta({ description: 'Its vendor searches for it.' }),
}

type CapabilityFlag = keyof typeof capabilityFlags
export const CAPABILITY_FLAGS = Object.keys(capabilityFlags) as CapabilityFlag[]

export const Capabilities = z.strictObject({
  ...capabilityFlags,
  quantization: z.enum(QUANTIZATIONS).meta({ description: 'How its weights are stored.' }),
  reasoningEffortOptions: z
    .array(z.enum(EFFORTS))
    .min(1)
    .optional()
    .meta({ description: 'The values of `reasoning_effort`.' }),
  defaultReasoningEffort: z.enum(EFFORTS).optional().meta({ description: 'The one unless asked.' }),
  maxImages: count.optional().meta({ description: 'Pictures of one request.' }),
  maxVideos: count.optional().meta({ description: 'Films of one request.' }),
})

export const TextConstraints = z.strictObject({
  temperature: setting.meta({ description: 'How freely it chooses.' }),
  top_p: setting.meta({ description: 'Of how much probability it chooses.' }),
  frequency_penalty: setting.optional().meta({ description: 'Against words that were used often.' }),
  presence_penalty: setting.optional().meta({ description: 'Against words that were used at all.' }),
  repetition_penalty: setting.optional().meta({ description: 'Against repeating.' }),
})

const textFields = {
  availableContextTokens: count.optional().meta({ description: 'How many tokens it reads.' }),
  maxCompletionTokens: count.optional().meta({ description: 'How many tokens it writes at most.' }),
}

const embeddingFields = {
  embeddingDimensions: count.optional().meta({ description: 'Numbers in a vector.' }),
  maxInputTokens: count.optional().meta({ description: 'Tokens of one text.' }),
  supportsCustomDimensions: z.literal(true).optional(),
}

const imageFields = {
  supportsStyleReferences: z
    .boolean()
    .optional()
    .meta({ description: 'Whether it takes pictures as examples of a style.' }),
  supportsWebSearch: z.boolean().optional().meta({ description: 'Whether it asks the web.' }),
  supportsOptimizePromptThinking: z.boolean().optional().meta({ description: 'Whether it thinks about prompts.' }),
  constraints: z
    .strictObject({
      promptCharacterLimit: characters.meta({ description: 'How long a prompt may be.' }),
      steps: z
        .strictObject({
          default: count.meta({ description: 'What it is unless it is set.' }),
          max: count.meta({ description: 'At most.' }),
        })
        .meta({ description: 'How many steps it takes.' }),
      widthHeightDivisor: count.meta({ description: 'Width and height are multiples of it.' }),
      aspectRatios: names.optional().meta({ description: 'The forms that it makes.' }),
      defaultAspectRatio: z.string().optional().meta({ description: 'The one unless asked.' }),
      resolutions: names.optional().meta({ description: 'The sizes that it makes.' }),
      defaultResolution: z.string().optional().meta({ description: 'The one unless asked.' }),
      qualities: z.array(quality).optional().meta({ description: 'How much care it can take.' }),
      defaultQuality: quality.optional().meta({ description: 'The one unless asked.' }),
      maxStyleReferences: count.optional().meta({ description: 'Pictures of a style, at most.' }),
      supportsStyleReferenceStrength: z.boolean().optional().meta({ description: 'Whether they can be weighed.' }),
    })
    .optional()
    .meta({ description: 'What it takes.' }),
}

const inpaintFields = {
  constraints: z
    .strictObject({
      aspectRatios: names.meta({ description: 'The forms that it makes.' }),
      promptCharacterLimit: characters.meta({ description: 'How long a prompt may be.' }),
      combineImages: z.boolean().meta({ description: 'Whether it puts several pictures together.' }),
      maxInputImages: count.optional().meta({ description: 'Pictures of one request.' }),
      singleImageAspectRatio: z
        .boolean()
        .optional()
        .meta({ description: 'Whether the form can be set for one picture.' }),
      resolutions: names.optional().meta({ description: 'The sizes that it makes.' }),
      defaultResolution: z.string().optional().meta({ description: 'The one unless asked.' }),
      qualities: z.array(quality).optional().meta({ description: 'How much care it can take.' }),
      defaultQuality: quality.optional().meta({ description: 'The one unless asked.' }),
    })
    .optional()
    .meta({ description: 'What it takes.' }),
}

const ttsFields = {
  voices: names.optional().meta({ description: 'The voices that it has.' }),
  supported_formats: names.optional().meta({ description: 'The files that it writes.' }),
  default_format: z.string().optional().meta({ description: 'The one that it writes unless asked.' }),
  supports_custom_voice_id: z.boolean().optional().meta({ description: 'Whether voices of your own are taken.' }),
  voice_cloning: z
    .strictObject({
      mode: z.enum(['zero_shot', 'persistent']).meta({ description: 'With each request, or once.' }),
      accepted_formats: names.meta({ description: 'The files that are taken.' }),
      min_sample_seconds: seconds.meta({ description: 'How long a sample has to be.' }),
      retention_days: z.int().min(0).meta({ description: 'How long a voice is kept.' }),
    })
    .optional()
    .meta({ description: 'How voices are cloned.' }),
}

const musicFields = {
  supports_lyrics: z.boolean().optional().meta({ description: 'Whether it sings.' }),
  lyrics_required: z.boolean().optional().meta({ description: 'Whether it has to be told what to sing.' }),
  lyrics_character_limit: characters.optional().meta({ description: 'How long that may be.' }),
  supports_lyrics_optimizer: z.boolean().optional().meta({ description: 'Whether it writes what is sung.' }),
  supports_force_instrumental: z.boolean().optional().meta({ description: 'Whether it can leave out the singing.' }),
  supports_loop: z.boolean().optional().meta({ description: 'Whether the end can lead into the beginning.' }),
  supports_language_code: z.boolean().optional().meta({ description: 'Whether a language may be named.' }),
  supports_speed: z.boolean().optional().meta({ description: 'Whether the speed may be set.' }),
  default_speed: z.number().positive().optional().meta({ description: 'The speed unless asked.' }),
  min_speed: z.number().positive().optional().meta({ description: 'The least speed.' }),
  max_speed: z.number().positive().optional().meta({ description: 'The most speed.' }),
  voices: names.optional().meta({ description: 'The voices that it has.' }),
  default_voice: z.string().optional().meta({ description: 'The voice unless asked.' }),
  duration_options: z.array(seconds).optional().meta({ description: 'The lengths that it makes, in seconds.' }),
  min_duration: seconds.optional().meta({ description: 'The least length, in seconds.' }),
  max_duration: seconds.optional().meta({ description: 'The most length, in seconds.' }),
  default_duration: seconds.optional().meta({ description: 'The length unless asked, in seconds.' }),
  min_prompt_length: z.int().min(0).optional().meta({ description: 'How short a prompt may be.' }),
  prompt_character_limit: characters.optional().meta({ description: 'How long a prompt may be.' }),
  supported_formats: names.optional().meta({ description: 'The files that it writes.' }),
  default_format: z.string().optional().meta({ description: 'The one that it writes unless asked.' }),
}

const videoFields = {
  constraints: z
    .strictObject({
      model_type: z
        .enum(['text-to-video', 'image-to-video', 'video'])
        .meta({ description: 'What it makes a film of.' }),
      aspect_ratios: names.meta({ description: 'The forms that it makes.' }),
      resolutions: names.meta({ description: 'The sizes that it makes.' }),
      durations: names.meta({ description: 'The lengths that it makes.' }),
      audio: z.boolean().meta({ description: 'Whether its films have sound.' }),
      audio_configurable: z.boolean().meta({ description: 'Whether that can be chosen.' }),
      prompt_character_limit: characters.optional().meta({ description: 'How long a prompt may be.' }),
    })
    .optional()
    .meta({ description: 'What it takes.' }),
}

/**
 * Fields of `model_spec` by type, all optional, without `capabilities`, a text model's `constraints`, and `pricing`.
 */
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

/** Query of `GET /models`. Unknown parameters are ignored. */
export const ModelListQuery = z.object({
  type: z
    .enum([...MODEL_TYPES, 'all', 'code'])
    .default('text')
    .meta({ description: 'Only models of this type; `code` are text models made for it.' }),
})
export type ModelListQuery = z.output<typeof ModelListQuery>

export const ModelTypeQuery = z.object({
  type: z.enum(MODEL_TYPES).default('text').meta({ description: 'Of models of this type.' }),
})

const time = z.iso.datetime()

const CommonSpec = {
  name: z.string().optional().meta({ description: 'Its name, for people.' }),
  description: z.string().optional().meta({ description: 'What it is good for.' }),
  modelSource: z.string().optional().meta({ description: 'Where it comes from.' }),
  privacy: z.enum(['private', 'anonymized']).meta({
    description:
      '`private`: what it is asked stays with the service. `anonymized`: a provider reads it without knowing who asks.',
  }),
  traits: z.array(z.string()).optional().meta({ description: 'The names that stand for it now.' }),
  offline: z.boolean().optional().meta({ description: 'Whether it is away just now.' }),
  acceptsTestCredit: z.literal(false).optional(),
  beta: z.boolean().optional().meta({ description: 'Whether it may change without notice.' }),
  betaModel: z.boolean().optional().meta({ description: 'The same, by an older name.' }),
  uncensored: z.literal(true).optional(),
  demo: z.literal(true).optional(),
  regionRestrictions: z.array(z.string()).optional().meta({ description: 'Countries where it is not offered.' }),
  deprecation: z
    .object({
      autoRemap: z.boolean().meta({ description: 'Whether another answers to its name from then on.' }),
      date: time.meta({ description: 'When.' }),
      removesAt: time.meta({ description: 'When it leaves the list.' }),
      startsAt: time.optional().meta({ description: 'Since when that is known.' }),
      replacementModelId: z.string().optional().meta({ description: 'What takes its place.' }),
    })
    .optional()
    .meta({ description: 'When it will be retired.' }),
}

const recordOf = <T extends ModelType, Spec extends z.ZodRawShape>(type: T, spec: Spec) =>
  z.object({
    id: z.string().meta({ description: 'Send it as `model`.' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'When, in Unix seconds.' }),
    owned_by: z.literal('service'),
    type: z.literal(type),
    context_length: z.int().optional().meta({ description: 'How many tokens it reads.' }),
    model_spec: z.object({ ...CommonSpec, ...spec }).meta({ description: 'What it can do and what it costs.' }),
  })

export const ModelRecord = z.discriminatedUnion('type', [
  recordOf('text', {
    ...FIELDS_BY_TYPE.text,
    capabilities: Capabilities.meta({ description: 'What it can do.' }),
    constraints: TextConstraints.meta({ description: 'What it takes.' }),
    pricing: WIRE_PRICING.text.optional().meta({ description: 'What it costs. Without it the model is free.' }),
  }),
  recordOf('embedding', {
    ...FIELDS_BY_TYPE.embedding,
    pricing: WIRE_PRICING.embedding.optional().meta({ description: 'What it costs. Without it the model is free.' }),
  }),
  recordOf('image', {
    ...FIELDS_BY_TYPE.image,
    pricing: WIRE_PRICING.image.optional().meta({ description: 'What it costs. Without it the model is free.' }),
  }),
  recordOf('inpaint', {
    ...FIELDS_BY_TYPE.inpaint,
    pricing: WIRE_PRICING.inpaint.optional().meta({ description: 'What it costs. Without it the model is free.' }),
  }),
  recordOf('upscale', {
    pricing: WIRE_PRICING.upscale.optional().meta({ description: 'What it costs. Without it the model is free.' }),
  }),
  recordOf('tts', {
    ...FIELDS_BY_TYPE.tts,
    pricing: WIRE_PRICING.tts.optional().meta({ description: 'What it costs. Without it the model is free.' }),
  }),
  recordOf('asr', {
    pricing: WIRE_PRICING.asr.optional().meta({ description: 'What it costs. Without it the model is free.' }),
  }),
  recordOf('music', {
    ...FIELDS_BY_TYPE.music,
    pricing: WIRE_PRICING.music.optional().meta({ description: 'What it costs. Without it the model is free.' }),
  }),
  recordOf('video', FIELDS_BY_TYPE.video),
])
export type ModelRecord = z.output<typeof ModelRecord>
export type ModelOf<T extends ModelType> = Extract<ModelRecord, { type: T }>

export const ModelList = z.object({
  object: z.literal('list'),
  type: ModelListQuery.shape.type.unwrap().meta({ description: 'The type that was asked for.' }),
  data: z.array(ModelRecord).meta({ description: 'The models, newest first.' }),
})
export type ModelList = z.output<typeof ModelList>

/** Reply of `GET /models/traits` and `/models/compatibility_mapping`: a name → the id of the model it stands for. */
export const ModelNames = z.object({
  object: z.literal('list'),
  type: z.enum(MODEL_TYPES).meta({ description: 'The type that was asked for.' }),
  data: z.record(z.string(), z.string()).meta({ description: 'A model for each name.' }),
})
export type ModelNames = z.output<typeof ModelNames>
