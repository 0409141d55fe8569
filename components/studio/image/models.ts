import { queryOptions } from '@tanstack/react-query'
import { type NamedModel, namedIn, strings } from '@/components/studio/models'
import { API_ROOT, fetchJson, isRecord, text } from '@/lib/browser/api'
import type { GenerationTask } from '@/lib/browser/storage/generations'

export type ImageTask = Extract<GenerationTask, 'generate' | 'edit' | 'multi-edit' | 'upscale' | 'background-remove'>

export type Quality = 'low' | 'medium' | 'high'

/** A model that makes or changes images. Prices in dollars. Source: API contract, models.md. */
export type ImageModel = NamedModel & {
  type: 'image' | 'inpaint' | 'upscale'
  traits: string[]
  /** Without it the model only fills what was erased. */
  readsPrompt: boolean
  maxPromptChars: number
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
  maxImages: number
  prices: ImagePrices
}

type ImagePrices = {
  base?: number
  byResolution: Record<string, number>
  byQuality: Record<string, Partial<Record<Quality, number>>>
  byFactor: Partial<Record<'2x' | '4x', number>>
  /** For each input beyond those that are included. */
  inputs?: { included: number; additional: number }
}

// The edit model with it removes backgrounds: the request names no model. Source: docs/image-api.md.
const BACKGROUND_TRAIT = 'background_removal'

// A model with it fills the transparent parts of an image, whatever the prompt says. Source: docs/image-api.md.
const ERASE_TRAIT = 'object_removal'

const QUALITIES: readonly Quality[] = ['low', 'medium', 'high']
const MODELS_FRESH_MS = 60_000
// Where a model does not say. Source: API contract, models.md "Inpaint".
const DEFAULT_COMBINED_IMAGES = 3
const DEFAULT_PROMPT_CHARS = 1_500

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

export function imageModels(reply: unknown): ImageModel[] {
  const data = isRecord(reply) && Array.isArray(reply.data) ? reply.data : []
  return data.filter(isRecord).flatMap((record) => {
    const { type } = record
    if (type !== 'image' && type !== 'inpaint' && type !== 'upscale') return []
    const spec = isRecord(record.model_spec) ? record.model_spec : {}
    const named = namedIn(record, spec)
    return named ? [modelOf(named, type, spec)] : []
  })
}

/** Lists the models that can do a task, those that serve first. */
export function modelsFor(task: ImageTask, models: readonly ImageModel[]): ImageModel[] {
  const able = models.filter((model) => isAble(model, task))
  return able.toSorted((a, b) => Number(a.isOffline) - Number(b.isOffline))
}

/** Returns the wanted model while it is there, else the service's default. */
export function modelFor(task: ImageTask, models: readonly ImageModel[], wanted?: string): ImageModel | undefined {
  const able = modelsFor(task, models)
  return able.find(({ id }) => id === wanted) ?? able.find(({ traits }) => traits.includes('default')) ?? able[0]
}

function isAble({ type, traits, maxImages }: ImageModel, task: ImageTask): boolean {
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
      return type === 'inpaint' && maxImages > 1 && doesEdit(traits)
  }
}

// A model that only removes backgrounds does not say so; the default edit model does both.
const doesEdit = (traits: readonly string[]): boolean =>
  !traits.includes(BACKGROUND_TRAIT) || traits.includes('default')

function modelOf(named: NamedModel, type: ImageModel['type'], spec: Record<string, unknown>): ImageModel {
  const can = isRecord(spec.constraints) ? spec.constraints : {}
  const steps = isRecord(can.steps) ? { default: count(can.steps.default, 1), max: count(can.steps.max, 1) } : undefined
  const traits = strings(spec.traits)
  const ratios = strings(can.aspectRatios)
  return {
    ...named,
    type,
    traits,
    readsPrompt: type !== 'upscale' && !traits.includes(ERASE_TRAIT),
    maxPromptChars: count(can.promptCharacterLimit, DEFAULT_PROMPT_CHARS),
    ratios,
    defaultRatio: text(can.defaultAspectRatio),
    resolutions: strings(can.resolutions),
    defaultResolution: text(can.defaultResolution),
    qualities: QUALITIES.filter((quality) => Array.isArray(can.qualities) && can.qualities.includes(quality)),
    defaultQuality: QUALITIES.find((quality) => quality === can.defaultQuality),
    steps: steps && steps.max > 1 ? steps : undefined,
    divisor: type === 'image' && ratios.length === 0 ? count(can.widthHeightDivisor, 1) : 0,
    maxImages:
      type === 'inpaint' ? count(can.maxInputImages, can.combineImages === true ? DEFAULT_COMBINED_IMAGES : 1) : 1,
    prices: pricesOf(spec.pricing),
  }
}

function pricesOf(pricing: unknown): ImagePrices {
  const file = isRecord(pricing) ? pricing : {}
  const inputs = isRecord(file.inputImages) ? file.inputImages : undefined
  return {
    base: dollars(file.generation) ?? dollars(file.inpaint),
    byResolution: eachDollars(file.resolutions),
    byQuality: isRecord(file.quality)
      ? Object.fromEntries(Object.entries(file.quality).map(([name, tier]) => [name, eachDollars(tier)]))
      : {},
    byFactor: eachDollars(file.upscale),
    inputs: inputs && { included: count(inputs.included, 1), additional: dollars(inputs.additional) ?? 0 },
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
