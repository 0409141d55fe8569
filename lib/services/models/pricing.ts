import { z } from 'zod'
import type { ModelType } from '@/lib/contract/models'
import { perMillion, perUnit } from '@/lib/contract/money'

/** No model of the field costs as much a million tokens; an operator who types a price of mills in dollars is stopped. */
const MAX_USD = 1_000
const MAX_TIERS = 50

/** A price as `/models` shows it. DIEM is priced as the dollar. */
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

/** The leaves of pricing: the price of a million, of a million where nothing may be free of charge, and of one. */
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

/** Pricing as a models file gives it, by type: `diem` may be left out. Video has none; its price is quoted. */
export const FILE_PRICING = pricingByType(FILE)
/** Pricing as `/models` shows it, by type. */
export const WIRE_PRICING = pricingByType(WIRE)

export type TextPricing = z.output<typeof FILE_PRICING.text>

/** Adds the DIEM price, which is the dollar price, wherever there is one. */
export function withDiem(pricing: unknown): unknown {
  if (typeof pricing !== 'object' || pricing === null) return pricing
  const fields = Object.entries(pricing).map(([name, value]) => [name, withDiem(value)])
  return 'usd' in pricing ? { ...Object.fromEntries(fields), diem: pricing.usd } : Object.fromEntries(fields)
}
