import { queryOptions } from '@tanstack/react-query'
import { API_ROOT, asReply, fetchJson, text } from '@/lib/browser/api'
import { type ModelReply, type ModelSpec, modelsOf, type NamedModel, namedIn } from '@/lib/browser/models'
import type { GenerationTask } from '@/lib/browser/storage/generations'
import type { StylesResponse } from '@/lib/contract/images.schema'

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

const TYPES: readonly ImageModel['type'][] = ['image', 'inpaint', 'upscale']

export const imageModelsQuery = () =>
  queryOptions({
    queryKey: ['models', 'studio-image'],
    queryFn: async ({ signal }): Promise<ImageModel[]> => {
      const lists = await Promise.all(
        TYPES.map((type) => fetchJson<unknown>(`${API_ROOT}/models?type=${type}`, { signal })),
      )
      return lists.flatMap(imageModels)
    },
    staleTime: MODELS_FRESH_MS,
  })

export const stylesQuery = () =>
  queryOptions({
    queryKey: ['image-styles'],
    queryFn: async ({ signal }): Promise<string[]> =>
      asReply<StylesResponse>(await fetchJson<unknown>(`${API_ROOT}/image/styles`, { signal })).data ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  })

export function imageModels(reply: unknown): ImageModel[] {
  return modelsOf<ImageModel['type']>(reply).flatMap((record) => {
    const type = TYPES.find((one) => one === record.type)
    return type ? [modelOf(record, type)] : []
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

// All its fields are optional, so that one type serves the three.
type ImageSpec = ModelSpec<'image'> & ModelSpec<'inpaint'> & ModelSpec<'upscale'>

function modelOf(record: ModelReply<ImageModel['type']>, type: ImageModel['type']): ImageModel {
  const named = namedIn(record)
  const { constraints: can = {}, traits = [], pricing } = record.model_spec as ImageSpec
  const steps = can.steps && { default: count(can.steps.default, 1), max: count(can.steps.max, 1) }
  const ratios = can.aspectRatios ?? []
  return {
    ...named,
    type,
    traits,
    readsPrompt: type !== 'upscale' && !traits.includes(ERASE_TRAIT),
    maxPromptChars: count(can.promptCharacterLimit, DEFAULT_PROMPT_CHARS),
    ratios,
    defaultRatio: text(can.defaultAspectRatio),
    resolutions: can.resolutions ?? [],
    defaultResolution: text(can.defaultResolution),
    qualities: QUALITIES.filter((quality) => can.qualities?.includes(quality)),
    defaultQuality: QUALITIES.find((quality) => quality === can.defaultQuality),
    steps: steps && steps.max > 1 ? steps : undefined,
    divisor: type === 'image' && ratios.length === 0 ? count(can.widthHeightDivisor, 1) : 0,
    maxImages:
      type === 'inpaint' ? count(can.maxInputImages, can.combineImages === true ? DEFAULT_COMBINED_IMAGES : 1) : 1,
    prices: pricesOf(pricing),
  }
}

function pricesOf(pricing: ImageSpec['pricing'] = {}): ImagePrices {
  const { generation, inpaint, resolutions, quality = {}, upscale, inputImages: inputs } = pricing
  return {
    base: generation?.usd ?? inpaint?.usd,
    byResolution: eachDollars(resolutions),
    byQuality: Object.fromEntries(Object.entries(quality).map(([name, tier]) => [name, eachDollars(tier)])),
    byFactor: eachDollars(upscale),
    inputs: inputs && { included: count(inputs.included, 1), additional: inputs.additional?.usd ?? 0 },
  }
}

function eachDollars(prices: Record<string, { usd?: number } | undefined> = {}): Record<string, number> {
  return Object.fromEntries(
    Object.entries(prices).flatMap(([name, price]) => (price?.usd === undefined ? [] : [[name, price.usd]])),
  )
}

const count = (value: number | undefined, otherwise: number): number =>
  value !== undefined && value > 0 ? value : otherwise
