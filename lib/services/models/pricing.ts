import { z } from 'zod'
import { MAX_MODEL_PRICE_USD } from '@/lib/contract/models'
import { pricingByType } from '@/lib/contract/models.schema'
import { perMillion, perUnit } from '@/lib/contract/money'

const amount = (fits: (dollars: number) => unknown, sign: 'positive' | 'zero') =>
  z
    .number('must be a number of dollars')
    .max(MAX_MODEL_PRICE_USD, `is more than ${MAX_MODEL_PRICE_USD} USD`)
    .refine((dollars) => (sign === 'zero' ? dollars >= 0 : dollars > 0), {
      error: sign === 'zero' ? 'cannot be negative' : 'must be more than 0; a free model has no `pricing` at all',
      abort: true,
    })
    .refine((dollars) => isExact(() => fits(dollars)), { error: 'is finer than money is counted here' })

export function isExact(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const filePrice = (fits: (dollars: number) => unknown, sign: 'positive' | 'zero') =>
  z
    .strictObject({ usd: amount(fits, sign), diem: z.number().optional() })
    .refine(({ usd, diem }) => diem === undefined || diem === usd, {
      error: 'must equal `usd`, or be left out',
      path: ['diem'],
    })

const FILE = {
  million: filePrice(perMillion, 'zero'),
  sold: filePrice(perMillion, 'positive'),
  one: filePrice(perUnit, 'zero'),
}
/** Pricing as a models file gives it, by type: `diem` may be left out. Video has none; its price is quoted. */
export const FILE_PRICING = pricingByType(FILE)

export type TextPricing = z.output<typeof FILE_PRICING.text>

/** Adds the DIEM price, which is the dollar price, wherever there is one. */
export function withDiem(pricing: unknown): unknown {
  if (typeof pricing !== 'object' || pricing === null) return pricing
  const fields = Object.entries(pricing).map(([name, value]) => [name, withDiem(value)])
  return 'usd' in pricing ? { ...Object.fromEntries(fields), diem: pricing.usd } : Object.fromEntries(fields)
}
