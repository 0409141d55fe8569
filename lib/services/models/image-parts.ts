import { type Price, perUnit } from '@/lib/contract/money'
import type { ModelEntry } from '@/lib/services/models/entry'

type Entry<T extends ModelEntry['type']> = Extract<ModelEntry, { type: T }>
type FilePrice = { usd: number }

export type Quality = 'low' | 'medium' | 'high'

/** Prices of one picture. `byQuality` outranks `byResolution`, which outranks `base`. No price at all: free. */
export type PicturePrices = {
  base?: Price
  byResolution?: Record<string, Price>
  byQuality?: Record<string, Partial<Record<Quality, Price>>>
}

/** What an image model can do. */
export type ImagePart = NonNullable<Entry<'image'>['constraints']> & { prices?: PicturePrices }

/** What an edit model can do. */
export type InpaintPart = NonNullable<Entry<'inpaint'>['constraints']> & {
  prices?: PicturePrices
  /** Of each input beyond those that are included. */
  inputs?: { included: number; additional: Price }
}

/** What enlarging costs, by factor. */
type UpscalePart = { prices?: { '2x': Price; '4x': Price } }

/** What models that make or change pictures can do. */
export type ImageParts = { image?: ImagePart; inpaint?: InpaintPart; upscale?: UpscalePart }

/** Of models whose file says nothing of them. */
const PLAIN_IMAGE = { promptCharacterLimit: 1_500, steps: { default: 20, max: 50 }, widthHeightDivisor: 8 }
const PLAIN_INPAINT = { aspectRatios: ['auto'], promptCharacterLimit: 1_500, combineImages: false }

/** The fields of models that make or change pictures. */
export function imageParts(entry: ModelEntry): ImageParts {
  if (entry.type === 'image') {
    const { constraints = PLAIN_IMAGE, pricing } = entry
    return { image: { ...constraints, prices: pricing && pricesOf(pricing.generation, pricing) } }
  }
  if (entry.type === 'inpaint') {
    const { constraints = PLAIN_INPAINT, pricing } = entry
    const inputs = pricing?.inputImages && {
      included: pricing.inputImages.included,
      additional: perUnit(pricing.inputImages.additional.usd),
    }
    return { inpaint: { ...constraints, prices: pricing && pricesOf(pricing.inpaint, pricing), inputs } }
  }
  if (entry.type !== 'upscale') return {}
  const tiers = entry.pricing?.upscale
  return { upscale: { prices: tiers && { '2x': perUnit(tiers['2x'].usd), '4x': perUnit(tiers['4x'].usd) } } }
}

/** What `/models` says of them beyond what the entry says itself. */
export function imageSpec({ image, inpaint }: ImageParts): Record<string, unknown> {
  if (inpaint) {
    const { prices: _, inputs: __, ...constraints } = inpaint
    return { constraints }
  }
  if (!image) return {}
  // References, web search and thinking are passed to no engine here, whatever the engine behind could do.
  const { prices: _, maxStyleReferences: __, supportsStyleReferenceStrength: ___, ...constraints } = image
  return {
    constraints,
    supportsStyleReferences: false,
    supportsWebSearch: undefined,
    supportsOptimizePromptThinking: undefined,
  }
}

/** The price of one picture of this size and quality; nothing where it is free. */
export function pictureRate(
  prices: PicturePrices | undefined,
  { resolution, quality }: { resolution?: string; quality?: Quality },
): Price | undefined {
  const tier = prices?.byQuality?.[resolution ?? '']
  const byQuality = quality && tier?.[quality]
  const byResolution = resolution === undefined ? undefined : prices?.byResolution?.[resolution]
  return byQuality ?? byResolution ?? prices?.base ?? dearest(prices)
}

/** A file may price sizes only: what has none of them is never cheaper than the others. */
function dearest({ byResolution = {} }: PicturePrices = {}): Price | undefined {
  return Object.values(byResolution).reduce<Price | undefined>(
    (most, one) => (most && most > one ? most : one),
    undefined,
  )
}

type Tiers = { resolutions?: Record<string, FilePrice>; quality?: Record<string, Partial<Record<Quality, FilePrice>>> }

function pricesOf(base: FilePrice | undefined, { resolutions, quality }: Tiers): PicturePrices {
  const each = <T, U>(map: Record<string, T> | undefined, change: (value: T) => U) =>
    map && Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]))
  return {
    base: base && perUnit(base.usd),
    byResolution: each(resolutions, ({ usd }) => perUnit(usd)),
    byQuality: each(
      quality,
      (tier) => each<FilePrice | undefined, Price | undefined>(tier, (one) => one && perUnit(one.usd)) ?? {},
    ),
  }
}
