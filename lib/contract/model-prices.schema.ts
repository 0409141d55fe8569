import { z } from 'zod'
import type { ModelType } from '@/lib/contract/models'

/** No model of the field costs as much a million tokens; an operator who types a price of mills in dollars is stopped. */
export const MAX_MODEL_PRICE_USD = 1_000
const MAX_TIERS = 50

/** The leaves of pricing: the price of a million, of a million where nothing may be free of charge, and of one. */
type Leaves<P extends z.ZodType> = { million: P; sold: P; one: P }

/** The fields of `pricing` by a model's type; video has none, its price is quoted. */
export function pricingByType<P extends z.ZodType>({ million, sold, one }: Leaves<P>) {
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
            usd: z.number().min(0).max(MAX_MODEL_PRICE_USD),
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

/** A price as `/models` shows it. DIEM is priced as the dollar. */
const WirePrice = z.strictObject({ usd: z.number().min(0), diem: z.number().min(0) })

const WIRE = { million: WirePrice, sold: WirePrice, one: WirePrice }

/** Pricing as `/models` shows it, by type. */
export const WIRE_PRICING = pricingByType(WIRE)
