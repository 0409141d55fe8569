import { z } from 'zod'
import { STYLE_NAMES } from '@/lib/contract/image-styles'
import {
  MAX_CFG_SCALE,
  MAX_EDIT_PROMPT_CHARS,
  MAX_GENERATED_SIDE,
  MAX_IMAGE_PROMPT_CHARS,
  MAX_SEED,
  MAX_VARIANTS,
} from '@/lib/contract/limits'

const MAX_REFERENCES = 20

const FORMATS = ['jpeg', 'png', 'webp'] as const
export type PictureFormat = (typeof FORMATS)[number]
export const QUALITIES = ['low', 'medium', 'high'] as const

export const prompt = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must be at most ${most} characters`)
    .refine((text) => text.trim() !== '', 'holds nothing but blanks')
export const modelName = z.string().min(1).max(256)

/** Body of `POST /image/generate`. Closed. Source: API contract, images.md. */
export const GenerateRequest = z
  .strictObject({
    model: modelName,
    prompt: prompt(MAX_IMAGE_PROMPT_CHARS),
    negative_prompt: z
      .string()
      .max(MAX_IMAGE_PROMPT_CHARS, `must be at most ${MAX_IMAGE_PROMPT_CHARS} characters`)
      .optional(),
    width: z.int().min(1).max(MAX_GENERATED_SIDE).optional(),
    height: z.int().min(1).max(MAX_GENERATED_SIDE).optional(),
    aspect_ratio: z.string().min(1).max(20).optional(),
    resolution: z.string().min(1).max(20).optional(),
    quality: z.enum(QUALITIES).optional(),
    steps: z.int().min(1).optional(),
    cfg_scale: z.number().gt(0).max(MAX_CFG_SCALE).optional(),
    seed: z.int().min(-MAX_SEED).max(MAX_SEED).optional(),
    variants: z.int().min(1).max(MAX_VARIANTS).optional(),
    n: z.int().min(1).max(MAX_VARIANTS).optional(),
    format: z.enum(FORMATS).default('webp'),
    return_binary: z.boolean().default(false),
    style_preset: z
      .string()
      .refine((name) => STYLE_NAMES.includes(name), 'is no style; GET /image/styles lists them')
      .optional(),
    style_references: z
      .array(z.strictObject({ image: z.string().min(1), strength: z.number().min(0.1).max(1).default(0.5) }))
      .max(MAX_REFERENCES)
      .optional(),
    lora_strength: z.int().min(0).max(100).optional(),
    safe_mode: z.boolean().default(true),
    hide_watermark: z.boolean().default(false),
    embed_exif_metadata: z.boolean().default(false),
    enable_web_search: z.boolean().optional(),
    enhance_prompt: z.boolean().default(false),
    disable_prompt_optimization_thinking: z.boolean().optional(),
    inpaint: z.null('is retired; use POST /image/edit').optional(),
  })
  .refine(({ variants, n }) => variants === undefined || n === undefined || variants === n, {
    error: 'is another name of `variants`; give one of them',
    path: ['n'],
  })
  .refine(({ variants, n, return_binary }) => !return_binary || (variants ?? n ?? 1) === 1, {
    error: 'more than one picture needs "return_binary": false',
    path: ['variants'],
  })
export type GenerateRequest = z.output<typeof GenerateRequest>

/** Reply of `POST /image/generate` as JSON. */
export const GenerateResponse = z.object({
  id: z.string(),
  images: z.array(z.string()),
  timing: z.object({
    inferenceDuration: z.number(),
    inferencePreprocessingTime: z.number(),
    inferenceQueueTime: z.number(),
    total: z.number(),
  }),
  request: z.unknown().optional(),
})
export type GenerateResponse = z.output<typeof GenerateResponse>

const SIZES = ['auto', '256x256', '512x512', '1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792'] as const

/** Body of `POST /images/generations`. Closed. Source: API contract, images.md. */
export const GenerationsRequest = z.strictObject({
  prompt: prompt(1_500),
  model: modelName.default('default'),
  size: z.enum(SIZES).nullish(),
  n: z.literal(1, 'must be 1').nullish(),
  output_format: z.enum(FORMATS).default('png'),
  response_format: z.enum(['b64_json', 'url']).nullish(),
  moderation: z.enum(['auto', 'low']).nullish(),
  // Validated and unused.
  quality: z.enum(['auto', 'high', 'medium', 'low', 'hd', 'standard']).nullish(),
  style: z.enum(['vivid', 'natural']).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  user: z.string().optional(),
})
export type GenerationsRequest = z.output<typeof GenerationsRequest>

/** Reply of `POST /images/generations`. */
export const GenerationsResponse = z.object({
  created: z.int(),
  data: z.array(z.union([z.object({ b64_json: z.string() }), z.object({ url: z.string() })])),
})

/** Reply of `GET /image/styles`. */
export const StylesResponse = z.object({ object: z.literal('list'), data: z.array(z.string()) })

/** No model of the field takes more; a model's own bound is tighter. */
export const MAX_INPUT_IMAGES = 16

const RATIOS = ['auto', '1:1', '3:2', '4:3', '16:9', '21:9', '9:16', '2:3', '3:4', '4:5'] as const
const image = z.string().min(1, 'must not be empty')

const editFields = {
  prompt: prompt(MAX_EDIT_PROMPT_CHARS),
  model: modelName.optional(),
  modelId: modelName.optional(),
  aspect_ratio: z.enum(RATIOS).optional(),
  resolution: z.string().min(1).max(10).optional(),
  quality: z.enum(QUALITIES).optional(),
  output_format: z.enum(['jpeg', 'jpg', 'png', 'webp']).optional(),
  enhance_prompt: z.boolean().default(false),
  disable_prompt_optimization_thinking: z.boolean().optional(),
  safe_mode: z.boolean().default(true),
}

/** Fields of a form are text. */
const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')
const editForm = {
  ...editFields,
  enhance_prompt: flag.default(false),
  disable_prompt_optimization_thinking: flag.optional(),
  safe_mode: flag.default(true),
}

/** Body of `POST /image/edit` as JSON. Closed. Source: API contract, images.md. */
export const EditRequest = z.strictObject({ ...editFields, image })
/** Body of `POST /image/multi-edit` as JSON. Closed. */
export const MultiEditRequest = z.strictObject({
  ...editFields,
  images: z.array(image).min(1, 'needs at least one image').max(MAX_INPUT_IMAGES),
})
/** The fields of either as a form, beside its files. Unknown ones are ignored. */
export const EditForm = z.object(editForm)
export type EditFields = z.output<typeof EditForm>

const scale = z.union([z.literal(2), z.literal(4)], 'must be 2 or 4')
const MAX_CREATIVITY = 0.02
const clamped = (value: number) => Math.min(MAX_CREATIVITY, Math.max(0, value))

const upscaleFields = { model: modelName.optional() }

/** Body of `POST /image/upscale` as JSON. Open. Source: API contract, images.md. */
export const UpscaleRequest = z.object({
  ...upscaleFields,
  image,
  scale: scale.default(2),
  creativity: z
    .number()
    .nullish()
    .transform((value) => clamped(value ?? 0.01)),
})
/** The same as a form, beside its file. */
export const UpscaleForm = z.object({
  ...upscaleFields,
  scale: z.string().transform(Number).pipe(scale).default(2),
  creativity: z
    .string()
    .optional()
    .transform((text) => Number(text ?? 0.01))
    .pipe(z.number().transform(clamped)),
})

/** Body of `POST /image/background-remove` as JSON. */
export const BackgroundRequest = z
  .object({ image: image.optional(), image_url: image.optional() })
  .refine((body) => (body.image === undefined) !== (body.image_url === undefined), {
    error: 'give either `image` or `image_url`',
    path: ['image'],
  })

/** The fields of a form: an address in place of its file. */
export const BackgroundForm = z.object({ image_url: z.string().min(1).optional() })
