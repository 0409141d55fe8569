import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, fetchJson, isRecord, text } from '@/lib/browser/api'
import { type Availability, availabilityOf } from '@/lib/browser/availability'
import type { GenerationTask } from '@/lib/browser/storage/generations'

export type ImageTask = Extract<GenerationTask, 'generate' | 'edit' | 'multi-edit' | 'upscale' | 'background-remove'>

export type Quality = 'low' | 'medium' | 'high'

/** A model that makes or changes pictures, as the form needs it. Prices are dollars. Source: API contract, models.md. */
export type ImageModel = Availability & {
  id: string
  name: string
  description: string
  type: 'image' | 'inpaint' | 'upscale'
  privacy: 'private' | 'anonymized'
  traits: string[]
  isBeta: boolean
  retiresAt?: string
  /** Without it the model does one thing: it fills what was erased. */
  readsPrompt: boolean
  /** Of a prompt. */
  mostChars: number
  ratios: string[]
  defaultRatio?: string
  resolutions: string[]
  defaultResolution?: string
  qualities: Quality[]
  defaultQuality?: Quality
  /** Absent where there is one step, or none. */
  steps?: { default: number; max: number }
  /** Sides are multiples of it; 0 where the size is not given in pixels. */
  divisor: number
  /** Pictures that one edit may begin with. */
  mostImages: number
  prices: ImagePrices
}

type ImagePrices = {
  base?: number
  byResolution: Record<string, number>
  byQuality: Record<string, Partial<Record<Quality, number>>>
  byFactor: Partial<Record<'2x' | '4x', number>>
  /** Of each input beyond those that are included. */
  inputs?: { included: number; additional: number }
}

/** The edit model with it removes backgrounds: the request names no model. Source: docs/image-api.md. */
const BACKGROUND_TRAIT = 'background_removal'

/** A model with it fills the transparent parts of an image, whatever the prompt says. Source: docs/image-api.md. */
const ERASE_TRAIT = 'object_removal'

const QUALITIES: readonly Quality[] = ['low', 'medium', 'high']
const MODELS_FRESH_MS = 60_000
/** Where a model says nothing of it. Source: API contract, models.md "Inpaint". */
const MOST_COMBINED = 3
const PLAIN_CHARS = 1_500

/** All models of pictures, and the names of styles. */
export const imageModelsQuery = () =>
  queryOptions({
    queryKey: ['models', 'studio-image'],
    queryFn: async ({ signal }): Promise<ImageModel[]> => {
      const lists = await Promise.all(
        (['image', 'inpaint', 'upscale'] as const).map((type) =>
          fetchJson<unknown>(`${API_ROOT}/models?type=${type}`, { signal }),
        ),
      )
      return lists.flatMap(imageModels)
    },
    staleTime: MODELS_FRESH_MS,
  })

export const stylesQuery = () =>
  queryOptions({
    queryKey: ['image-styles'],
    queryFn: async ({ signal }): Promise<string[]> => {
      const reply = await fetchJson<unknown>(`${API_ROOT}/image/styles`, { signal })
      return isRecord(reply) && Array.isArray(reply.data) ? strings(reply.data) : []
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Reads a reply of `GET /models`; what is no model of pictures is left out. */
export function imageModels(reply: unknown): ImageModel[] {
  const data = isRecord(reply) && Array.isArray(reply.data) ? reply.data : []
  return data.flatMap((record) => {
    if (!isRecord(record)) return []
    const { id, type, model_spec: spec } = record
    const isOne = type === 'image' || type === 'inpaint' || type === 'upscale'
    return text(id) !== undefined && isOne ? [modelOf(String(id), type, isRecord(spec) ? spec : {})] : []
  })
}

/** The models that can do a task, those that serve first. */
export function modelsFor(task: ImageTask, models: readonly ImageModel[]): ImageModel[] {
  const able = models.filter((model) => isAble(model, task))
  return able.toSorted((a, b) => Number(a.isOffline) - Number(b.isOffline))
}

/** The one to begin with: what was wanted while it is there, else the service's default. */
export function modelFor(task: ImageTask, models: readonly ImageModel[], wanted?: string): ImageModel | undefined {
  const able = modelsFor(task, models)
  return able.find(({ id }) => id === wanted) ?? able.find(({ traits }) => traits.includes('default')) ?? able[0]
}

function isAble({ type, traits, mostImages }: ImageModel, task: ImageTask): boolean {
  switch (task) {
    case 'generate':
      return type === 'image'
    case 'upscale':
      return type === 'upscale'
    case 'background-remove':
      return type === 'inpaint' && traits.includes(BACKGROUND_TRAIT)
    case 'edit':
      return type === 'inpaint' && doesEdit(traits)
    case 'multi-edit':
      return type === 'inpaint' && mostImages > 1 && doesEdit(traits)
  }
}

/** Nothing says that a model only cuts out; who holds the default's trait edits, too. */
const doesEdit = (traits: readonly string[]): boolean =>
  !traits.includes(BACKGROUND_TRAIT) || traits.includes('default')

function modelOf(id: string, type: ImageModel['type'], spec: Record<string, unknown>): ImageModel {
  const can = isRecord(spec.constraints) ? spec.constraints : {}
  const steps = isRecord(can.steps) ? { default: count(can.steps.default, 1), max: count(can.steps.max, 1) } : undefined
  const deprecation = isRecord(spec.deprecation) ? spec.deprecation : {}
  const defaultRatio = text(can.defaultAspectRatio)
  const defaultResolution = text(can.defaultResolution)
  const defaultQuality = QUALITIES.find((quality) => quality === can.defaultQuality)
  const retiresAt = text(deprecation.removesAt) ?? text(deprecation.date)
  return {
    id,
    type,
    name: text(spec.name) ?? id,
    description: text(spec.description) ?? '',
    privacy: spec.privacy === 'private' ? 'private' : 'anonymized',
    traits: strings(spec.traits),
    ...availabilityOf(spec),
    isBeta: spec.betaModel === true,
    readsPrompt: type !== 'upscale' && !strings(spec.traits).includes(ERASE_TRAIT),
    mostChars: count(can.promptCharacterLimit, PLAIN_CHARS),
    ratios: strings(can.aspectRatios),
    resolutions: strings(can.resolutions),
    qualities: QUALITIES.filter((quality) => Array.isArray(can.qualities) && can.qualities.includes(quality)),
    divisor: type === 'image' && strings(can.aspectRatios).length === 0 ? count(can.widthHeightDivisor, 1) : 0,
    mostImages: type === 'inpaint' ? count(can.maxInputImages, can.combineImages === true ? MOST_COMBINED : 1) : 1,
    prices: pricesOf(spec.pricing),
    ...(steps && steps.max > 1 && { steps }),
    ...(defaultRatio && { defaultRatio }),
    ...(defaultResolution && { defaultResolution }),
    ...(defaultQuality && { defaultQuality }),
    ...(retiresAt && { retiresAt }),
  }
}

function pricesOf(pricing: unknown): ImagePrices {
  const file = isRecord(pricing) ? pricing : {}
  const base = dollars(file.generation) ?? dollars(file.inpaint)
  const inputs = isRecord(file.inputImages) ? file.inputImages : undefined
  return {
    byResolution: eachDollars(file.resolutions),
    byQuality: isRecord(file.quality)
      ? Object.fromEntries(Object.entries(file.quality).map(([name, tier]) => [name, eachDollars(tier)]))
      : {},
    byFactor: eachDollars(file.upscale),
    ...(base !== undefined && { base }),
    ...(inputs && { inputs: { included: count(inputs.included, 1), additional: dollars(inputs.additional) ?? 0 } }),
  }
}

function eachDollars(prices: unknown): Record<string, number> {
  if (!isRecord(prices)) return {}
  return Object.fromEntries(
    Object.entries(prices).flatMap(([name, price]) => {
      const usd = dollars(price)
      return usd === undefined ? [] : [[name, usd]]
    }),
  )
}

const dollars = (price: unknown): number | undefined =>
  isRecord(price) && typeof price.usd === 'number' ? price.usd : undefined

const count = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && value > 0 ? value : otherwise

const strings = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : []
