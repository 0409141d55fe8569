import { z } from 'zod'
import type { ModelType } from '@/lib/contract/models'

/** Dollars of a million tokens: no model costs more, so an operator who types thousandths as dollars is stopped. */
export const MAX_MODEL_PRICE_USD = 1_000
const MAX_TIERS = 50

/** Prices of a million units, of a million units that may not be free, and of one unit. */
type Leaves<P extends z.ZodType> = { million: P; sold: P; one: P }

/** Builds the schema of `pricing` for each type of model; video has none, its price is quoted. */
export function pricingByType<P extends z.ZodType>({ million, sold, one }: Leaves<P>) {
  const cache = {
    cache_input: million.optional().meta({ description: 'A million tokens that it reads from a cache.' }),
    cache_write: million.optional().meta({ description: 'A million tokens that it writes into a cache.' }),
  }
  const tokens = {
    input: sold.meta({ description: 'A million tokens that it reads.' }),
    output: sold.meta({ description: 'A million tokens that it writes.' }),
    ...cache,
  }
  const tiers = z.record(z.string().min(1).max(20), one).refine((map) => Object.keys(map).length <= MAX_TIERS)
  const qualities = z.strictObject({
    low: one.optional().meta({ description: 'With little.' }),
    medium: one.optional().meta({ description: 'With some.' }),
    high: one.optional().meta({ description: 'With much.' }),
  })
  const quality = z.record(z.string().min(1).max(20), qualities)
  const upscale = z.strictObject({
    '2x': one.meta({ description: 'Twice.' }),
    '4x': one.meta({ description: 'Four times.' }),
  })
  return {
    text: z.strictObject({
      ...tokens,
      extended: z
        .strictObject({
          context_token_threshold: z.int().min(1).meta({ description: 'How long that is, in tokens.' }),
          ...tokens,
        })
        .optional()
        .meta({ description: 'The prices of the whole request where the prompt is long.' }),
    }),
    embedding: z.strictObject({
      input: million.meta({ description: 'A million tokens that it reads, or characters that it says.' }),
      output: million.optional().meta({ description: 'A million tokens that it writes.' }),
    }),
    image: z
      .strictObject({
        generation: one.optional().meta({ description: 'A picture.' }),
        resolutions: tiers.optional().meta({ description: 'A picture, by its size.' }),
        quality: quality.optional().meta({ description: 'A picture, by the care that is taken.' }),
        upscale: upscale.meta({ description: 'A picture that is enlarged.' }),
      })
      .refine((pricing) => pricing.generation !== undefined || pricing.resolutions !== undefined, {
        error: 'needs `generation` or `resolutions`',
      }),
    inpaint: z.strictObject({
      inpaint: one.meta({ description: 'A picture that is changed.' }),
      resolutions: tiers.optional().meta({ description: 'A picture, by its size.' }),
      quality: quality.optional().meta({ description: 'A picture, by the care that is taken.' }),
      inputImages: z
        .strictObject({
          included: z.int().min(0).meta({ description: 'So many are free.' }),
          additional: one.meta({ description: 'Each further one.' }),
        })
        .optional()
        .meta({ description: 'Pictures that go along.' }),
    }),
    upscale: z.strictObject({
      generation: one.optional().meta({ description: 'A picture.' }),
      upscale: upscale.meta({ description: 'A picture that is enlarged.' }),
    }),
    tts: z.strictObject({
      input: million.meta({ description: 'A million tokens that it reads, or characters that it says.' }),
    }),
    asr: z.strictObject({ per_audio_second: one.meta({ description: 'A begun second that it hears.' }) }),
    music: z.strictObject({
      generation: one.optional().meta({ description: 'A picture.' }),
      durations: z
        .record(
          z.string().regex(/^\d{1,5}$/),
          z.strictObject({
            usd: z.number().min(0).max(MAX_MODEL_PRICE_USD).meta({ description: 'In dollars.' }),
            diem: z.number().optional().meta({ description: 'In daily credit of staked tokens.' }),
            min_seconds: z.number().meta({ description: 'From so many seconds.' }),
            max_seconds: z.number().meta({ description: 'To so many seconds.' }),
          }),
        )
        .optional()
        .meta({ description: 'A piece, by its length.' }),
      per_second: one.optional().meta({ description: 'A second that it makes.' }),
      per_thousand_characters: one.optional().meta({ description: 'A thousand characters that it says.' }),
    }),
  } satisfies Partial<Record<ModelType, z.ZodType>>
}

/** DIEM is priced as the dollar. */
const WirePrice = z.strictObject({
  usd: z.number().min(0).meta({ description: 'In dollars.' }),
  diem: z.number().min(0).meta({ description: 'In daily credit of staked tokens.' }),
})

const WIRE = { million: WirePrice, sold: WirePrice, one: WirePrice }

export const WIRE_PRICING = pricingByType(WIRE)
