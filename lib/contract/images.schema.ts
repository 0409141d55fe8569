import { z } from 'zod'
import {
  MAX_CFG_SCALE,
  MAX_EDIT_PROMPT_CHARS,
  MAX_GENERATED_SIDE,
  MAX_IMAGE_PROMPT_CHARS,
  MAX_SEED,
  MAX_VARIANTS,
} from '@/lib/contract/limits'
import { modelName } from '@/lib/contract/models.schema'

const MAX_REFERENCES = 20
const UNUSED = 'Accepted; has no effect.'
const ENHANCE = 'Lets the default chat model of the service rewrite the prompt first.'
const SAFE_MODE = '`false` asks the model for less strict filtering, if it supports that.'

const FORMATS = ['jpeg', 'png', 'webp'] as const
export type PictureFormat = (typeof FORMATS)[number]
const QUALITIES = ['low', 'medium', 'high'] as const

const prompt = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must be at most ${most} characters`)
    .refine((text) => text.trim() !== '', 'must not be blank')

const side = z.int().min(1).max(MAX_GENERATED_SIDE).optional()
const sizeName = z.string().min(1).max(20).optional()

// Source for this file: API contract, images.md.
export const GenerateRequest = z
  .strictObject({
    model: modelName,
    prompt: prompt(MAX_IMAGE_PROMPT_CHARS).describe('Description of the image.'),
    negative_prompt: z
      .string()
      .max(MAX_IMAGE_PROMPT_CHARS, `must be at most ${MAX_IMAGE_PROMPT_CHARS} characters`)
      .optional()
      .describe('Description of what to avoid in the image.'),
    width: side.describe("Width in pixels, a multiple of the model's `widthHeightDivisor`."),
    height: side.describe("Height in pixels, a multiple of the model's `widthHeightDivisor`."),
    aspect_ratio: sizeName.describe('Aspect ratio, instead of width and height: `16:9`.'),
    resolution: sizeName.describe('Resolution, on models that offer several: `1K`.'),
    quality: z.enum(QUALITIES).optional().describe('Quality, on models that offer several.'),
    steps: z.int().min(1).optional().describe('Number of inference steps.'),
    cfg_scale: z
      .number()
      .gt(0)
      .max(MAX_CFG_SCALE)
      .optional()
      .describe('Guidance scale: higher values follow the prompt more closely.'),
    seed: z
      .int()
      .min(-MAX_SEED)
      .max(MAX_SEED)
      .optional()
      .describe('Seed for reproducible results with the same request and model, if the model supports it.'),
    variants: z.int().min(1).max(MAX_VARIANTS).optional().describe('Number of images.'),
    n: z.int().min(1).max(MAX_VARIANTS).optional().describe('Legacy name of `variants`.'),
    format: z.enum(FORMATS).default('webp').describe('File format of the image.'),
    return_binary: z
      .boolean()
      .default(false)
      .describe('Returns the image as a file. Supported for a single image only.'),
    style_preset: z
      .string()
      .refine((name) => STYLE_NAMES.includes(name), 'is not a style; GET /image/styles lists the styles')
      .optional()
      .describe('Style from `GET /image/styles`.'),
    style_references: z
      .array(
        z.strictObject({
          image: z.string().min(1).describe('Reference image.'),
          strength: z.number().min(0.1).max(1).default(0.5).describe('Weight of the reference.'),
        }),
      )
      .max(MAX_REFERENCES)
      .optional()
      .describe('Rejected: no model of this service supports style references.'),
    lora_strength: z.int().min(0).max(100).optional().describe(UNUSED),
    safe_mode: z.boolean().default(true).describe(SAFE_MODE),
    hide_watermark: z.boolean().default(false).describe('Accepted; images have no watermark.'),
    embed_exif_metadata: z.boolean().default(false).describe('Embeds the prompt, the model and the seed in the file.'),
    enable_web_search: z.boolean().optional().describe(UNUSED),
    enhance_prompt: z.boolean().default(false).describe(ENHANCE),
    disable_prompt_optimization_thinking: z.boolean().optional().describe(UNUSED),
    inpaint: z
      .null('is retired; use POST /image/edit')
      .optional()
      .describe('Rejected unless empty: use `POST /image/edit`.'),
  })
  .refine(({ variants, n }) => variants === undefined || n === undefined || variants === n, {
    error: 'is an alias of `variants`; send only one of them',
    path: ['n'],
  })
  .refine(({ variants, n, return_binary }) => !return_binary || (variants ?? n ?? 1) === 1, {
    error: 'more than one image needs "return_binary": false',
    path: ['variants'],
  })
export type GenerateRequest = z.output<typeof GenerateRequest>

export const GenerateResponse = z.object({
  id: z.string().describe('ID of the generation.'),
  images: z.array(z.string()).describe('Images, base64-encoded.'),
  timing: z
    .object({
      inferenceDuration: z.number().describe('Time at the model.'),
      inferencePreprocessingTime: z.number().describe('Time before the model.'),
      inferenceQueueTime: z.number().describe('Time in the queue.'),
      total: z.number().describe('Total time.'),
    })
    .describe('Duration in milliseconds.'),
  request: z.unknown().optional().describe('Parameters of the request.'),
})
export type GenerateResponse = z.output<typeof GenerateResponse>

const SIZES = ['auto', '256x256', '512x512', '1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792'] as const

export const GenerationsRequest = z.strictObject({
  prompt: prompt(1_500).describe('Description of the image.'),
  model: modelName.default('default'),
  size: z.enum(SIZES).nullish().describe("Width and height in pixels. `auto` selects the model's preferred size."),
  n: z.literal(1, 'must be 1').nullish().describe('Number of images. Must be 1.'),
  output_format: z.enum(FORMATS).default('png').describe('File format of the image.'),
  response_format: z.enum(['b64_json', 'url']).nullish().describe('Format of the response. `url` returns a data URL.'),
  moderation: z
    .enum(['auto', 'low'])
    .nullish()
    .describe('`low` asks the model for less strict filtering, if it supports that.'),
  // Validated and unused.
  quality: z
    .enum(['auto', 'high', 'medium', 'low', 'hd', 'standard'])
    .nullish()
    .describe('Quality, on models that offer several.'),
  style: z.enum(['vivid', 'natural']).nullish().describe(UNUSED),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish().describe(UNUSED),
  output_compression: z.int().min(0).max(100).nullish().describe(UNUSED),
  user: z.string().optional().describe('Your identifier of the end user. Accepted and ignored.'),
})
export type GenerationsRequest = z.output<typeof GenerationsRequest>

export const GenerationsResponse = z.object({
  created: z.int().describe('Creation time in Unix seconds.'),
  data: z
    .array(
      z.union([
        z.object({ b64_json: z.string().describe('Image, base64-encoded.') }),
        z.object({ url: z.string().describe('Image as a data URL.') }),
      ]),
    )
    .describe('Generated image.'),
})

export const StylesResponse = z.object({
  object: z.literal('list'),
  data: z.array(z.string()).describe('Names of the styles.'),
})

export const MAX_INPUT_IMAGES = 16

const RATIOS = ['auto', '1:1', '3:2', '4:3', '16:9', '21:9', '9:16', '2:3', '3:4', '4:5'] as const
const image = z.string().min(1, 'must not be empty')

const editFields = {
  prompt: prompt(MAX_EDIT_PROMPT_CHARS).describe('Instructions for the edit.'),
  model: modelName.optional(),
  modelId: z.string().min(1).max(256).optional().describe('Legacy name of `model`.'),
  aspect_ratio: z.enum(RATIOS).optional().describe('Aspect ratio of the result.'),
  resolution: z.string().min(1).max(10).optional().describe('Resolution of the result, on models that offer several.'),
  quality: z.enum(QUALITIES).optional().describe('Quality, on models that offer several.'),
  output_format: z.enum(['jpeg', 'jpg', 'png', 'webp']).optional().describe('File format of the image.'),
  enhance_prompt: z.boolean().default(false).describe(ENHANCE),
  disable_prompt_optimization_thinking: z.boolean().optional().describe(UNUSED),
  safe_mode: z.boolean().default(true).describe(SAFE_MODE),
}

const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')
const editForm = {
  ...editFields,
  enhance_prompt: flag.default(false).describe(ENHANCE),
  disable_prompt_optimization_thinking: flag.optional().describe(UNUSED),
  safe_mode: flag.default(true).describe(SAFE_MODE),
}

export const EditRequest = z.strictObject({
  ...editFields,
  image: image.describe('Image as base64, a data URL or a public URL; a file in a form.'),
})
export const MultiEditRequest = z.strictObject({
  ...editFields,
  images: z
    .array(image)
    .min(1, 'must contain at least one image')
    .max(MAX_INPUT_IMAGES)
    .describe('Image to edit, followed by the reference images.'),
})
export const EditForm = z.object(editForm)
export type EditFields = z.output<typeof EditForm>

const scale = z.union([z.literal(2), z.literal(4)], 'must be 2 or 4')
const MAX_CREATIVITY = 0.02
const clamped = (value: number) => Math.min(MAX_CREATIVITY, Math.max(0, value))

export const UpscaleRequest = z.object({
  model: modelName.optional(),
  image: image.describe('Image as base64 or a data URL; a file in a form.'),
  scale: scale.default(2).describe('Scale factor: 2 or 4 times the width and height.'),
  creativity: z
    .number()
    .nullish()
    .transform((value) => clamped(value ?? 0.01))
    .describe(UNUSED),
})
export const UpscaleForm = z.object({
  model: modelName.optional(),
  scale: z
    .string()
    .transform(Number)
    .pipe(scale)
    .default(2)
    .describe('Scale factor: 2 or 4 times the width and height.'),
  creativity: z
    .string()
    .optional()
    .transform((text) => Number(text ?? 0.01))
    .pipe(z.number().transform(clamped))
    .describe(UNUSED),
})

export const BackgroundRequest = z
  .object({
    image: image.optional().describe('Image as base64 or a data URL.'),
    image_url: image.optional().describe('Public URL of the image, instead of `image`.'),
  })
  .refine((body) => (body.image === undefined) !== (body.image_url === undefined), {
    error: 'send either `image` or `image_url`',
    path: ['image'],
  })

export const BackgroundForm = z.object({
  image_url: z.string().min(1).optional().describe('Public URL of the image, instead of `image`.'),
})
export type StylesResponse = z.output<typeof StylesResponse>

// Words around a prompt, and words to avoid.
const STYLES: Record<string, readonly [words: string, avoid?: string]> = {
  '3D Model': ['3D model of {prompt}, octane render, physically based materials, studio light', 'flat, sketch'],
  'Analog Film': ['analog film photograph of {prompt}, grain, faded colours, 35 mm', 'digital, glossy'],
  Anime: ['anime picture of {prompt}, cel shading, clean lines, vivid colours', 'photograph, realistic'],
  Architectural: ['architectural photograph of {prompt}, straight verticals, clear light', 'crooked, blurry'],
  'Art Deco': ['art deco illustration of {prompt}, geometric shapes, gold and black, bold lines'],
  'Art Nouveau': ['art nouveau poster of {prompt}, flowing lines, ornaments of plants, muted colours'],
  'Black and White': ['black and white photograph of {prompt}, high contrast, fine tones', 'colour'],
  Cinematic: ['cinematic still of {prompt}, dramatic light, shallow depth of field, film look', 'drawing, cartoon'],
  'Comic Book': ['comic book panel of {prompt}, ink outlines, halftone, bold colours', 'photograph'],
  Craft: ['{prompt} made of modelling clay, handmade, soft light', 'drawing, photograph of a person'],
  Cubist: ['cubist painting of {prompt}, broken planes, many viewpoints'],
  'Digital Art': ['digital painting of {prompt}, detailed, rich colours', 'photograph'],
  Documentary: ['documentary photograph of {prompt}, natural light, unposed'],
  Enhance: ['{prompt}, high detail, balanced light, sharp focus', 'blurry, noisy, deformed'],
  'Fantasy Art': ['fantasy painting of {prompt}, magical, epic scale, glowing light', 'modern, plain'],
  'Film Noir': ['film noir still of {prompt}, black and white, hard shadows, mystery', 'colour, cheerful'],
  'Food Photography': ['food photograph of {prompt}, appetising, soft side light, close up'],
  Gothic: ['gothic picture of {prompt}, dark, ornate, candle light'],
  Impressionist: ['impressionist painting of {prompt}, visible brush strokes, open air light'],
  Infographic: ['flat infographic illustration of {prompt}, simple shapes, clear layout'],
  Isometric: ['isometric illustration of {prompt}, precise, soft shadows', 'perspective, photograph'],
  'Line Art': ['line drawing of {prompt}, black ink on white, clean strokes', 'colour, shading, photograph'],
  'Long Exposure': ['long exposure photograph of {prompt}, trails of light, smooth motion'],
  'Low Poly': ['low poly picture of {prompt}, facets, simple light', 'realistic, noisy'],
  Minimalist: ['minimalist picture of {prompt}, few shapes, much empty space', 'clutter, ornament'],
  Neon: ['{prompt} in neon light, night, glowing signs, reflections', 'daylight'],
  'Neon Punk': ['neon punk picture of {prompt}, cyberpunk, magenta and cyan, rain', 'daylight, pale'],
  'Oil Painting': ['oil painting of {prompt}, thick paint, canvas, warm tones', 'photograph'],
  Origami: ['{prompt} folded from paper, origami, crisp folds, plain background'],
  'Paper Cutout': ['{prompt} as layers of cut paper, soft shadows between them'],
  'Pencil Sketch': ['pencil sketch of {prompt}, graphite, paper texture', 'colour, photograph'],
  Photographic: ['photograph of {prompt}, natural light, sharp focus, true colours', 'drawing, painting'],
  'Pixel Art': ['pixel art of {prompt}, few colours, 16 bit', 'smooth, blurry, photograph'],
  'Pop Art': ['pop art print of {prompt}, flat bright colours, bold outlines'],
  Psychedelic: ['psychedelic poster of {prompt}, swirling shapes, saturated colours'],
  Renaissance: ['renaissance painting of {prompt}, balanced composition, soft shadows'],
  Retro: ['retro picture of {prompt}, 1970s colours, print grain'],
  'Retro Game': ['screen of a retro game showing {prompt}, 8 bit, bright sprites', 'photograph'],
  'Stained Glass': ['{prompt} as a stained glass window, lead lines, glowing colours'],
  Steampunk: ['steampunk picture of {prompt}, brass, gears, steam'],
  Sticker: ['sticker of {prompt}, thick white outline, flat colours, plain background'],
  Surrealist: ['surrealist painting of {prompt}, dreamlike, impossible objects'],
  Texture: ['seamless texture of {prompt}, even light, seen from above'],
  'Tilt-Shift': ['tilt-shift photograph of {prompt}, miniature look, narrow focus'],
  Typography: ['typographic poster of {prompt}, bold letters, strong layout'],
  Watercolor: ['watercolour painting of {prompt}, soft washes, paper texture', 'photograph, hard lines'],
  Woodcut: ['woodcut print of {prompt}, carved lines, two tones', 'photograph, gradient'],
}

// Values of `style_preset`. Source: API contract, images.md.
export const STYLE_NAMES: readonly string[] = Object.keys(STYLES)

export function styled(
  prompt: string,
  negativePrompt: string | undefined,
  style: string | undefined,
): { prompt: string; negativePrompt?: string } {
  const found = style === undefined ? undefined : STYLES[style]
  if (!found) return { prompt, negativePrompt }
  const [words, avoid] = found
  const avoided = [negativePrompt, avoid].filter((text) => text !== undefined && text !== '')
  return {
    // A function, for a prompt may hold what a replacement text gives a meaning to.
    prompt: words.replace('{prompt}', () => prompt),
    negativePrompt: avoided.length > 0 ? avoided.join(', ') : undefined,
  }
}
