import { z } from 'zod'
import { modelName, prompt, QUALITIES } from '@/lib/contract/images.schema'
import { MAX_EDIT_PROMPT_CHARS } from '@/lib/contract/limits'

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
