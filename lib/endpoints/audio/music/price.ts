import { invalidField } from '@/lib/contract/errors'
import { perUnit } from '@/lib/contract/money'
import type { PricedUnits } from '@/lib/services/ledger/price'
import type { MusicPart } from '@/lib/services/models/job-parts'
import type { Model } from '@/lib/services/models/model'

export type Length = { seconds?: number; characters?: number }

/** Whether a model lets its length be chosen, or at least says what it is. */
export const hasDuration = (can: MusicPart): boolean =>
  (can.duration_options?.length ?? 0) > 0 ||
  can.min_duration !== undefined ||
  can.max_duration !== undefined ||
  can.default_duration !== undefined

/**
 * What a piece of this length costs: by one of the ways in which the contract prices music.
 *
 * @throws ApiError INVALID_REQUEST when the price needs a length that was not given.
 */
export function musicLines(model: Model, can: MusicPart, { seconds, characters }: Length): PricedUnits[] {
  const { pricing } = can
  if (!pricing) return []
  const line = (sku: string, units: number, dollars: number): PricedUnits[] => [
    { sku: `${model.id}-${sku}`, units, price: perUnit(dollars) },
  ]
  if (pricing.durations) {
    const length = needed(seconds ?? can.default_duration, 'duration_seconds')
    const step = Object.values(pricing.durations).find((one) => length >= one.min_seconds && length <= one.max_seconds)
    if (step) return line('music-generation', 1, step.usd)
    throw invalidField(['duration_seconds'], `has no price at ${model.id}; GET /models lists the lengths it is sold in`)
  }
  if (pricing.per_second) {
    return line(
      'music-second',
      Math.ceil(needed(seconds ?? can.default_duration, 'duration_seconds')),
      pricing.per_second.usd,
    )
  }
  if (pricing.per_thousand_characters) {
    const count = needed(characters, 'character_count')
    // A character is a thousandth of the price, so that short texts are not rounded up to a thousand.
    return line('music-character', count, thousandth(pricing.per_thousand_characters.usd))
  }
  return line('music-generation', 1, pricing.generation?.usd ?? 0)
}

function needed(value: number | undefined, field: string): number {
  if (value !== undefined) return value
  throw invalidField([field], 'is required: the model is priced by it')
}

/** Decimal, so that it stays as exact as the price itself: a double divided by 1,000 would not. */
function thousandth(dollars: number): number {
  return Number(`${dollars.toFixed(9)}e-3`)
}
