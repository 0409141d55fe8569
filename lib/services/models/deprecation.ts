import 'server-only'
import type { Model } from '@/lib/services/models/model'

const MAX_HOPS = 10

/**
 * Tells whether a model is past its removal: unlisted, and served only by its replacement. `now` in Unix milliseconds.
 */
export function isRetired(model: Model, now: number): boolean {
  return model.deprecation !== undefined && now >= model.deprecation.removesAt.getTime()
}

export function isAnnounced(model: Model, now: number): boolean {
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
