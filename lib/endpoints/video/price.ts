import { perUnit } from '@/lib/contract/money'
import type { PricedUnits } from '@/lib/services/ledger/price'
import type { VideoPart } from '@/lib/services/models/job-parts'
import type { Model } from '@/lib/services/models/model'

/** Of a length that the model chooses by itself, where it does not say how long it may be. */
const MOST_SECONDS = 30

/** Seconds of a duration as the contract writes it; nothing for those that the model chooses. */
export function secondsOf(duration: string): number | undefined {
  const digits = /^(\d{1,2})s$/.exec(duration)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** `referenceSeconds`: of all reference clips together; none where nothing is referred to. */
type Film = { duration: string; resolution?: string; referenceSeconds?: number }

/** What a film costs. One whose length the model chooses is priced as the longest that it makes. */
export function videoLines(model: Model, can: VideoPart, film: Film): PricedUnits[] {
  const perSecond = can.price?.perReferenceSecond
  const seconds = Math.ceil(film.referenceSeconds ?? 0)
  if (perSecond === undefined || seconds === 0) return filmLines(model, can, film)
  const references = { sku: `${model.id}-video-reference-second`, units: seconds, price: perUnit(perSecond) }
  return [...filmLines(model, can, film), references]
}

function filmLines(model: Model, { price, durations }: VideoPart, { duration, resolution }: Film): PricedUnits[] {
  if (!price) return []
  const lines: PricedUnits[] = []
  const perSecond = (resolution === undefined ? undefined : price.resolutions?.[resolution]) ?? price.perSecond
  if (price.perGeneration !== undefined) {
    lines.push({ sku: `${model.id}-video-generation`, units: 1, price: perUnit(price.perGeneration) })
  }
  if (perSecond !== undefined) {
    const named = resolution === undefined || price.resolutions?.[resolution] === undefined ? '' : `-${resolution}`
    const seconds = secondsOf(duration) ?? longest(durations)
    lines.push({ sku: `${model.id}-video-second${named}`, units: seconds, price: perUnit(perSecond) })
  }
  if (lines.length > 0) return lines
  // Priced by resolution alone, and none was named that has a price: the dearest, so that nothing is free by omission.
  const dearest = Math.max(...Object.values(price.resolutions ?? {}))
  return [
    { sku: `${model.id}-video-second`, units: secondsOf(duration) ?? longest(durations), price: perUnit(dearest) },
  ]
}

const longest = (durations: string[]): number => {
  const known = durations.flatMap((duration) => secondsOf(duration) ?? [])
  return known.length > 0 ? Math.max(...known) : MOST_SECONDS
}
