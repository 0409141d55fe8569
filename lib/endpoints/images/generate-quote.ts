import 'server-only'
import { invalidField } from '@/lib/contract/errors'
import type { GenerateRequest, PictureFormat } from '@/lib/contract/images.schema'
import { MAX_GENERATED_SIDE, MIN_GENERATED_SIDE } from '@/lib/contract/limits'
import { type Enhancement, enhancementFor, enhancementLines } from '@/lib/endpoints/images/enhance'
import { nearestRatio, ratioOf, type Size, sizeOfRatio, sizeWithin } from '@/lib/endpoints/images/sizes'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import { requestIdOf } from '@/lib/pipeline/admit'
import type { Quote } from '@/lib/pipeline/metered'
import type { PaintRequest } from '@/lib/services/engines/engine'
import { type PricedUnits, priceOf } from '@/lib/services/ledger/price'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import { type ImagePart, pictureRate, type Quality } from '@/lib/services/models/type-parts'

const DEFAULT_SIDE = 1_024

export type GenerateWork = {
  requestId: string
  model: Model
  /** What the engine is asked for, without the words of a style. */
  paint: Omit<PaintRequest, 'model'>
  style?: string
  variants: number
  format: PictureFormat
  /** What pictures cost, of each. */
  lines: (pictures: number) => PricedUnits[]
  enhancement?: Enhancement
  describes: boolean
  isBinary: boolean
  /** What was asked, for the reply that repeats it. */
  request: unknown
  createdAt: number
}

/** A picture asked for → the work, checked against the model, and what it costs. */
export function quoteGenerate(body: GenerateRequest, caller: Caller, context: RequestContext): Quote<GenerateWork> {
  const model = resolveModel(body.model, { type: 'image', caller, context })
  // Every model of the type has it.
  const can = model.image as ImagePart
  assertPrompt(body.prompt, can, model, 'prompt')
  assertPrompt(body.negative_prompt ?? '', can, model, 'negative_prompt')
  if (body.style_references?.length) throw invalidField(['style_references'], `cannot be used with ${model.id}`)
  const { resolution, ...size } = sizeFor(body, can, model)
  const quality = qualityOf(body.quality, can, model)
  return quoted(caller, context, {
    model,
    tier: { resolution, quality },
    paint: {
      ...size,
      prompt: body.prompt,
      negativePrompt: body.negative_prompt,
      quality,
      steps: stepsOf(body.steps, can, model),
      cfgScale: body.cfg_scale,
      seed: body.seed,
      isSafe: body.safe_mode,
    },
    style: body.style_preset,
    variants: body.variants ?? body.n ?? 1,
    format: body.format,
    enhancement: body.enhance_prompt ? enhancementFor(caller) : undefined,
    describes: body.embed_exif_metadata,
    isBinary: body.return_binary,
    request: body,
  })
}

type Wanted = Omit<GenerateWork, 'requestId' | 'lines' | 'createdAt'> & {
  tier: { resolution?: string; quality?: Quality }
}

/** The quote of pictures that were checked against their model. */
export function quoted(caller: Caller, context: RequestContext, { tier, ...wanted }: Wanted): Quote<GenerateWork> {
  const { model, variants, enhancement } = wanted
  const rate = pictureRate(model.image?.prices, tier)
  const lines = (pictures: number): PricedUnits[] =>
    rate ? [{ sku: `${model.id}-image-unit`, units: pictures, price: rate }] : []
  const requestId = requestIdOf(context, caller, 'generate-image')
  const work = { ...wanted, requestId, lines, createdAt: context.startedAt }
  const amount = priceOf([...lines(variants), ...(enhancement ? enhancementLines() : [])])
  return { requestId, model, amount, work }
}

export function assertPrompt(text: string, can: { promptCharacterLimit: number }, { id }: Model, field: string): void {
  const most = can.promptCharacterLimit
  if (text.length > most) throw invalidField([field], `must be at most ${most} characters for ${id}`)
}

/** The pixels of a picture of this model, and the resolution that it is priced by. */
function sizeFor(body: GenerateRequest, can: ImagePart, { id }: Model): Size & { resolution?: string } {
  const { aspectRatios = [], resolutions = [], widthHeightDivisor: divisor } = can
  const { aspect_ratio: name, resolution = can.defaultResolution ?? resolutions[0] } = body
  if (resolution !== undefined && !resolutions.includes(resolution)) {
    const those = resolutions.length > 0 ? `it makes ${resolutions.join(', ')}` : 'give width and height'
    throw invalidField(['resolution'], `cannot be had of ${id}; ${those}`)
  }
  const ratio = name === undefined ? undefined : ratioOf(name)
  if (aspectRatios.length > 0) {
    const chosen = name ?? can.defaultAspectRatio ?? (aspectRatios[0] as string)
    if (!aspectRatios.includes(chosen)) {
      throw invalidField(['aspect_ratio'], `cannot be had of ${id}; it makes ${aspectRatios.join(', ')}`)
    }
    return { ...sizeOfRatio(ratioOf(chosen) ?? 1, resolution), resolution }
  }
  if (name !== undefined && ratio === undefined) {
    throw invalidField(['aspect_ratio'], 'must be a ratio such as 16:9, of at most 8:1')
  }
  if (ratio !== undefined && body.width === undefined && body.height === undefined) {
    return { ...sizeWithin(ratio, MAX_GENERATED_SIDE, divisor), resolution }
  }
  const { width = DEFAULT_SIDE, height = DEFAULT_SIDE } = body
  for (const [field, length] of Object.entries({ width, height })) {
    if (length % divisor !== 0) throw invalidField([field], `must be a multiple of ${divisor} for ${id}`)
    if (length < MIN_GENERATED_SIDE) throw invalidField([field], `must be at least ${MIN_GENERATED_SIDE} for ${id}`)
  }
  return { width, height, resolution }
}

/** A size of the common convention in the terms of a model: what it has that comes nearest. */
export function nearestSize(wanted: Size, can: ImagePart): Size & { resolution?: string } {
  const { aspectRatios = [], resolutions = [], widthHeightDivisor: divisor } = can
  const resolution = can.defaultResolution ?? resolutions[0]
  const name = nearestRatio(aspectRatios, wanted)
  if (name !== undefined) return { ...sizeOfRatio(ratioOf(name) ?? 1, resolution), resolution }
  const longest = Math.min(MAX_GENERATED_SIDE, Math.max(wanted.width, wanted.height))
  return { ...sizeWithin(wanted.width / wanted.height, longest, divisor), resolution }
}

function qualityOf(asked: Quality | undefined, can: ImagePart, { id }: Model): Quality | undefined {
  const { qualities = [], defaultQuality } = can
  // Without a choice there is nothing that the field could change.
  if (qualities.length === 0) return undefined
  if (asked === undefined) return defaultQuality
  if (qualities.includes(asked)) return asked
  throw invalidField(['quality'], `cannot be had of ${id}; it makes ${qualities.join(', ')}`)
}

/** Models that have one step have none to choose. */
function stepsOf(asked: number | undefined, { steps }: ImagePart, { id }: Model): number | undefined {
  if (steps.max === 1) return undefined
  if (asked === undefined) return steps.default
  if (asked <= steps.max) return asked
  throw invalidField(['steps'], `must be at most ${steps.max} for ${id}`)
}
