import { type Badge, type ModelCard, searchModels } from '@/lib/browser/models'
import { msg } from '@/lib/i18n/t'

export type ModelFilter = {
  badges: readonly Badge[]
  isPrivate: boolean
  /** Dollars per million output tokens. */
  maxPrice?: number
  minContext?: number
}

export const NO_FILTER: ModelFilter = { badges: [], isPrivate: false }

export const BADGES: readonly { badge: Badge; says: string }[] = [
  { badge: msg('vision'), says: msg('Understands images') },
  { badge: msg('audio'), says: msg('Understands audio') },
  { badge: msg('video'), says: msg('Understands video') },
  { badge: msg('reasoning'), says: msg('Thinks before answering') },
  { badge: msg('tools'), says: msg('Can call tools') },
  { badge: msg('code'), says: msg('Built for code') },
  { badge: msg('search'), says: msg('Can search the web') },
]

export type ModelSection = { title: string | undefined; models: ModelCard[] }

export const RECENT_COUNT = 5

export const countOf = ({ badges, isPrivate, maxPrice, minContext }: ModelFilter): number =>
  badges.length + Number(isPrivate) + Number(maxPrice !== undefined) + Number(minContext !== undefined)

/** Lists each model once: starred ones, recent ones, the rest. A search lists its results without groups. */
export function modelSections(models: ModelCard[], { search, filter, favourites, recent }: Listing): ModelSection[] {
  const found = searchModels(models, search).filter((model) => passes(model, filter))
  if (search.trim() !== '') return found.length > 0 ? [{ title: undefined, models: found }] : []
  const byId = new Map(found.map((model) => [model.id, model]))
  const take = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const model = byId.get(id)
      byId.delete(id)
      return model ?? []
    })
  const stars = take(favourites)
  const last = take(recent.filter((id) => byId.has(id)).slice(0, RECENT_COUNT))
  const rest = [...byId.values()]
  const hasGroups = stars.length + last.length > 0
  return [
    { title: msg('Favourites'), models: stars },
    { title: msg('Recent'), models: last },
    { title: hasGroups ? msg('All others') : undefined, models: rest },
  ].filter((section) => section.models.length > 0)
}

type Listing = { search: string; filter: ModelFilter; favourites: readonly string[]; recent: readonly string[] }

function passes({ badges, privacy, price, contextTokens }: ModelCard, filter: ModelFilter): boolean {
  if (filter.isPrivate && privacy !== 'private') return false
  if (filter.maxPrice !== undefined && (price?.output ?? 0) > filter.maxPrice) return false
  if (filter.minContext !== undefined && contextTokens < filter.minContext) return false
  return filter.badges.every((badge) => badges.includes(badge))
}
