import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { Facts } from '@/lib/kernel/request-context'
import type { Model } from '@/lib/services/models/model'

const MAX_HOPS = 10

/**
 * Tells whether a model is past its removal: unlisted, and served only by its replacement. `now` in Unix milliseconds.
 */
export function isRetired(model: Model, now: number): boolean {
  return model.deprecation !== undefined && now >= model.deprecation.removesAt.getTime()
}

function isAnnounced(model: Model, now: number): boolean {
  const { deprecation } = model
  if (deprecation === undefined || isRetired(model, now)) return false
  return deprecation.startsAt === undefined || now >= deprecation.startsAt.getTime()
}

export function replacementOf(model: Model, byId: ReadonlyMap<string, Model>, now: number): Model | undefined {
  let current: Model | undefined = model
  for (let hop = 0; hop < MAX_HOPS && current !== undefined && isRetired(current, now); hop++) {
    current = byId.get(current.deprecation?.replacementModelId ?? '')
  }
  return current !== undefined && current !== model && !isRetired(current, now) ? current : undefined
}

/**
 * Returns the model that serves in the place of this one: itself, or, once it is retired, its replacement where the
 * model remaps. `now` in Unix milliseconds.
 * @throws ApiError MODEL_RETIRED.
 */
export function servingModel(model: Model, byId: ReadonlyMap<string, Model>, now: number): Model {
  if (!isRetired(model, now)) return model
  const replacement = replacementOf(model, byId, now)
  if (replacement && model.deprecation?.autoRemap) return replacement
  const advice = replacement ? `Use ${replacement.id} instead.` : 'GET /models lists the available models.'
  throw new ApiError('MODEL_RETIRED', `${model.id} was retired on ${dayOf(model)}. ${advice}`)
}

/** Says when an announced retirement comes and what serves then, for the headers of a reply. */
export function warningOf(model: Model, now: number): Facts['deprecation'] {
  const announced = isAnnounced(model, now) ? model.deprecation : undefined
  if (announced === undefined) return undefined
  const { autoRemap, replacementModelId: next, removesAt } = announced
  const then = next === undefined ? '' : autoRemap ? `; ${next} will serve in its place` : `; use ${next} instead`
  return { date: removesAt.toISOString(), warning: `${model.id} will be retired on ${dayOf(model)}${then}` }
}

const dayOf = (model: Model): string => model.deprecation?.removesAt.toISOString().slice(0, 10) ?? ''
