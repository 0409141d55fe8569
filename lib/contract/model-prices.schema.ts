import { z } from 'zod'
import type { ModelType } from '@/lib/contract/models'

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

export const WIRE_PRICING = pricingByType(WIRE)
