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
const QUALITIES = ['low', 'medium', 'high'] as const

const prompt = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must be at most ${most} characters`)
    .refine((text) => text.trim() !== '', 'holds nothing but blanks')
const modelName = z.string().min(1).max(256)

/** Body of `POST /image/generate`. Closed. Source: API contract, images.md, as for all below. */
export const GenerateRequest = z
  .strictObject({
    model: modelName.meta({
      description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.',
    }),
    prompt: prompt(MAX_IMAGE_PROMPT_CHARS).meta({ description: 'What the picture shows.' }),
    negative_prompt: z
      .string()
      .max(MAX_IMAGE_PROMPT_CHARS, `must be at most ${MAX_IMAGE_PROMPT_CHARS} characters`)
      .optional()
      .meta({ description: 'What it should not show.' }),
    width: z
      .int()
      .min(1)
      .max(MAX_GENERATED_SIDE)
      .optional()
      .meta({ description: 'In pixels, in steps of the `widthHeightDivisor` of the model.' }),
    height: z
      .int()
      .min(1)
      .max(MAX_GENERATED_SIDE)
      .optional()
      .meta({ description: 'In pixels, in steps of the `widthHeightDivisor` of the model.' }),
    aspect_ratio: z
      .string()
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'The form, in place of width and height: `16:9`.' }),
    resolution: z
      .string()
      .min(1)
      .max(20)
      .optional()
      .meta({ description: 'The size, on models that offer several: `1K`.' }),
    quality: z.enum(QUALITIES).optional().meta({ description: 'How much care is taken, on models that offer that.' }),
    steps: z.int().min(1).optional().meta({ description: 'How many steps the model takes.' }),
    cfg_scale: z
      .number()
      .gt(0)
      .max(MAX_CFG_SCALE)
      .optional()
      .meta({ description: 'How closely the model keeps to the prompt.' }),
    seed: z
      .int()
      .min(-MAX_SEED)
      .max(MAX_SEED)
      .optional()
      .meta({ description: 'The same seed, request and model give the same result, where the model can.' }),
    variants: z.int().min(1).max(MAX_VARIANTS).optional().meta({ description: 'How many pictures.' }),
    n: z.int().min(1).max(MAX_VARIANTS).optional().meta({ description: 'An older name of `variants`.' }),
    format: z.enum(FORMATS).default('webp').meta({ description: 'The kind of file.' }),
    return_binary: z
      .boolean()
      .default(false)
      .meta({ description: 'Answers with the picture as a file. Of one picture only.' }),
    style_preset: z
      .string()
      .refine((name) => STYLE_NAMES.includes(name), 'is no style; GET /image/styles lists them')
      .optional()
      .meta({ description: 'A name of `GET /image/styles`.' }),
    style_references: z
      .array(
        z.strictObject({
          image: z.string().min(1).meta({ description: 'A picture.' }),
          strength: z.number().min(0.1).max(1).default(0.5).meta({ description: 'How much it counts.' }),
        }),
      )
      .max(MAX_REFERENCES)
      .optional()
      .meta({ description: 'Refused: no model here takes pictures as examples of a style.' }),
    lora_strength: z.int().min(0).max(100).optional().meta({ description: 'Taken; changes nothing.' }),
    safe_mode: z
      .boolean()
      .default(true)
      .meta({ description: '`false` asks the model to be less strict, where it knows how.' }),
    hide_watermark: z.boolean().default(false).meta({ description: 'Taken: there is none to hide.' }),
    embed_exif_metadata: z
      .boolean()
      .default(false)
      .meta({ description: 'Writes the prompt, the model and the seed into the file.' }),
    enable_web_search: z.boolean().optional().meta({ description: 'Taken; changes nothing.' }),
    enhance_prompt: z
      .boolean()
      .default(false)
      .meta({ description: "Has the service's default chat model rewrite the prompt first." }),
    disable_prompt_optimization_thinking: z.boolean().optional().meta({ description: 'Taken; changes nothing.' }),
    inpaint: z
      .null('is retired; use POST /image/edit')
      .optional()
      .meta({ description: 'Refused where it holds anything: use `POST /image/edit`.' }),
  })
  .refine(({ variants, n }) => variants === undefined || n === undefined || variants === n, {
    error: 'is another name of `variants`; give one of them',
    path: ['n'],
  })
  .refine(({ variants, n, return_binary }) => !return_binary || (variants ?? n ?? 1) === 1, {
    error: 'more than one image needs "return_binary": false',
    path: ['variants'],
  })
export type GenerateRequest = z.output<typeof GenerateRequest>

export const GenerateResponse = z.object({
  id: z.string().meta({ description: 'The work.' }),
  images: z.array(z.string()).meta({ description: 'The pictures, as base64.' }),
  timing: z
    .object({
      inferenceDuration: z.number().meta({ description: 'At the model.' }),
      inferencePreprocessingTime: z.number().meta({ description: 'Before it.' }),
      inferenceQueueTime: z.number().meta({ description: 'Waiting.' }),
      total: z.number().meta({ description: 'All in all.' }),
    })
    .meta({ description: 'How long it took, in milliseconds.' }),
  request: z.unknown().optional().meta({ description: 'What was asked for.' }),
})
export type GenerateResponse = z.output<typeof GenerateResponse>

const SIZES = ['auto', '256x256', '512x512', '1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792'] as const

/** Body of `POST /images/generations`. Closed. */
export const GenerationsRequest = z.strictObject({
  prompt: prompt(1_500).meta({ description: 'What the picture shows.' }),
  model: modelName
    .default('default')
    .meta({ description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.' }),
  size: z
    .enum(SIZES)
    .nullish()
    .meta({ description: 'Width and height in pixels; `auto` is what the model likes best.' }),
  n: z.literal(1, 'must be 1').nullish().meta({ description: 'One picture a request.' }),
  output_format: z.enum(FORMATS).default('png').meta({ description: 'The kind of file.' }),
  response_format: z.enum(['b64_json', 'url']).nullish().meta({ description: '`url` answers with a data URL.' }),
  moderation: z
    .enum(['auto', 'low'])
    .nullish()
    .meta({ description: '`low` asks the model to be less strict, where it knows how.' }),
  // Validated and unused.
  quality: z
    .enum(['auto', 'high', 'medium', 'low', 'hd', 'standard'])
    .nullish()
    .meta({ description: 'How much care is taken, on models that offer that.' }),
  style: z.enum(['vivid', 'natural']).nullish().meta({ description: 'Taken; changes nothing.' }),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish().meta({ description: 'Taken; changes nothing.' }),
  output_compression: z.int().min(0).max(100).nullish().meta({ description: 'Taken; changes nothing.' }),
  user: z.string().optional().meta({ description: 'Whom you ask for, as you call them. Taken, and goes no further.' }),
})
export type GenerationsRequest = z.output<typeof GenerationsRequest>

export const GenerationsResponse = z.object({
  created: z.int().meta({ description: 'When, in Unix seconds.' }),
  data: z
    .array(
      z.union([
        z.object({ b64_json: z.string().meta({ description: 'As base64.' }) }),
        z.object({ url: z.string().meta({ description: 'As a data URL.' }) }),
      ]),
    )
    .meta({ description: 'The picture.' }),
})

export const StylesResponse = z.object({
  object: z.literal('list'),
  data: z.array(z.string()).meta({ description: 'The names.' }),
})

/** No model of the field takes more; a model's own bound is tighter. */
export const MAX_INPUT_IMAGES = 16

const RATIOS = ['auto', '1:1', '3:2', '4:3', '16:9', '21:9', '9:16', '2:3', '3:4', '4:5'] as const
const image = z.string().min(1, 'must not be empty')

const editFields = {
  prompt: prompt(MAX_EDIT_PROMPT_CHARS).meta({ description: 'What to change.' }),
  model: modelName
    .optional()
    .meta({ description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.' }),
  modelId: modelName.optional().meta({ description: 'An older name of `model`.' }),
  aspect_ratio: z.enum(RATIOS).optional().meta({ description: 'The form of what comes out.' }),
  resolution: z.string().min(1).max(10).optional().meta({ description: 'Its size, on models that offer several.' }),
  quality: z.enum(QUALITIES).optional().meta({ description: 'How much care is taken, on models that offer that.' }),
  output_format: z.enum(['jpeg', 'jpg', 'png', 'webp']).optional().meta({ description: 'The kind of file.' }),
  enhance_prompt: z
    .boolean()
    .default(false)
    .meta({ description: "Has the service's default chat model rewrite the prompt first." }),
  disable_prompt_optimization_thinking: z.boolean().optional().meta({ description: 'Taken; changes nothing.' }),
  safe_mode: z
    .boolean()
    .default(true)
    .meta({ description: '`false` asks the model to be less strict, where it knows how.' }),
}

/** Fields of a form are text. */
const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')
const editForm = {
  ...editFields,
  enhance_prompt: flag
    .default(false)
    .meta({ description: "Has the service's default chat model rewrite the prompt first." }),
  disable_prompt_optimization_thinking: flag.optional().meta({ description: 'Taken; changes nothing.' }),
  safe_mode: flag.default(true).meta({ description: '`false` asks the model to be less strict, where it knows how.' }),
}

/** Body of `POST /image/edit` as JSON. Closed. */
export const EditRequest = z.strictObject({
  ...editFields,
  image: image.meta({ description: 'The picture: base64, a data URL or a public address; in a form, a file.' }),
})
/** Body of `POST /image/multi-edit` as JSON. Closed. */
export const MultiEditRequest = z.strictObject({
  ...editFields,
  images: z
    .array(image)
    .min(1, 'needs at least one image')
    .max(MAX_INPUT_IMAGES)
    .meta({ description: 'The picture that is changed, then those at hand.' }),
})
/** Form of either, without its files. Unknown fields are ignored. */
export const EditForm = z.object(editForm)
export type EditFields = z.output<typeof EditForm>

const scale = z.union([z.literal(2), z.literal(4)], 'must be 2 or 4')
const MAX_CREATIVITY = 0.02
const clamped = (value: number) => Math.min(MAX_CREATIVITY, Math.max(0, value))

const upscaleFields = {
  model: modelName
    .optional()
    .meta({ description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.' }),
}

/** Body of `POST /image/upscale` as JSON. Open. */
export const UpscaleRequest = z.object({
  ...upscaleFields,
  image: image.meta({ description: 'The picture: base64 or a data URL; in a form, a file.' }),
  scale: scale.default(2).meta({ description: 'Two or four times as wide and high.' }),
  creativity: z
    .number()
    .nullish()
    .transform((value) => clamped(value ?? 0.01))
    .meta({ description: 'Taken; changes nothing.' }),
})
export const UpscaleForm = z.object({
  ...upscaleFields,
  scale: z
    .string()
    .transform(Number)
    .pipe(scale)
    .default(2)
    .meta({ description: 'Two or four times as wide and high.' }),
  creativity: z
    .string()
    .optional()
    .transform((text) => Number(text ?? 0.01))
    .pipe(z.number().transform(clamped))
    .meta({ description: 'Taken; changes nothing.' }),
})

export const BackgroundRequest = z
  .object({
    image: image.optional().meta({ description: 'The picture: base64 or a data URL.' }),
    image_url: image.optional().meta({ description: 'Or its public address.' }),
  })
  .refine((body) => (body.image === undefined) !== (body.image_url === undefined), {
    error: 'give either `image` or `image_url`',
    path: ['image'],
  })

export const BackgroundForm = z.object({
  image_url: z.string().min(1).optional().meta({ description: 'Or its public address.' }),
})
export type StylesResponse = z.output<typeof StylesResponse>
