import 'server-only'
import { invalidField } from '@/lib/contract/errors'
import type { EditFields, EditForm, EditRequest, MultiEditRequest, PictureFormat } from '@/lib/contract/images.schema'
import { type Enhancement, enhanced, enhancementFor, enhancementLines } from '@/lib/endpoints/images/enhance-prompt'
import { assertOffered, assertPrompt, enhancedHeader, qualityOf } from '@/lib/endpoints/images/generate'
import {
  type Either,
  type ImageFile,
  openSource,
  RESULT_COPIES,
  type Source,
  sourceOf,
  withinDeadline,
  writeImage,
} from '@/lib/endpoints/images/image-io'
import { ratioOf, type Size, sizeOfRatio } from '@/lib/endpoints/images/sizes'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { instanceHeader, type Reply } from '@/lib/pipeline/reply'
import type { InputImage } from '@/lib/services/engines/engine'
import { imageEngineOf } from '@/lib/services/engines/registry'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import { type InpaintPart, imageRate, type Quality } from '@/lib/services/models/type-parts'

const DEFAULT_RESOLUTION = '1K'
// For a model that does not say. Source: API contract, models.md.
const MAX_IMAGES = { combining: 3, single: 1 }

export type EditWork = {
  model: Model
  prompt: string
  images: Source[]
  /** Absent: as the first image. */
  ratio?: string
  resolution: string
  quality?: Quality
  format: PictureFormat
  isSafe: boolean
  lines: PricedUnits[]
  enhancement?: Enhancement
}

export function quoteEdit(
  sent: Either<typeof EditRequest, typeof EditForm>,
  caller: Caller,
  context: RequestContext,
): Quote<EditWork> {
  if ('files' in sent) return quoted(sent.fields, sent.files, caller, context)
  return quoted(sent.body, [sourceOf(sent.body.image, ['image'], { takesAddress: true })], caller, context)
}

export function quoteMultiEdit(
  sent: Either<typeof MultiEditRequest, typeof EditForm>,
  caller: Caller,
  context: RequestContext,
): Quote<EditWork> {
  if ('files' in sent) return quoted(sent.fields, sent.files, caller, context)
  const images = sent.body.images.map((image, index) => sourceOf(image, ['images', index], { takesAddress: true }))
  return quoted(sent.body, images, caller, context)
}

function quoted(fields: EditFields, images: Source[], caller: Caller, context: RequestContext): Quote<EditWork> {
  if (fields.model !== undefined && fields.modelId !== undefined && fields.model !== fields.modelId) {
    throw invalidField(['modelId'], 'is an alias of `model`; send only one of them')
  }
  const model = resolveModel(fields.model ?? fields.modelId ?? 'default', { type: 'inpaint', caller, context })
  // Every model of the type has it.
  const can = model.inpaint as InpaintPart
  assertPrompt(fields.prompt, can, model, 'prompt')
  const maxImages = can.maxInputImages ?? (can.combineImages ? MAX_IMAGES.combining : MAX_IMAGES.single)
  if (images.length > maxImages) throw invalidField(['images'], `must be at most ${maxImages} for ${model.id}`)
  const resolution = resolutionOf(fields.resolution, can, model)
  const quality = qualityOf(fields.quality, can, model)
  const enhancement = fields.enhance_prompt ? enhancementFor(caller) : undefined
  const lines = editLines(model, can, { images: images.length, resolution, quality })
  return {
    requestId: requestIdOf(context, caller, 'edit-image'),
    model,
    amount: priceOf([...lines, ...(enhancement ? enhancementLines() : [])]),
    work: {
      model,
      prompt: fields.prompt,
      images,
      ratio: ratioIn(fields.aspect_ratio, can, model),
      resolution,
      quality,
      format: formatOf(fields.output_format, resolution),
      isSafe: fields.safe_mode,
      lines,
      enhancement,
    },
  }
}

function editLines(
  { id }: Model,
  { prices, inputs }: InpaintPart,
  { images, ...tier }: { images: number; resolution: string; quality?: Quality },
): PricedUnits[] {
  const rate = imageRate(prices, tier)
  const more = inputs ? Math.max(0, images - inputs.included) : 0
  return [
    ...(rate ? [{ sku: `${id}-inpaint-unit`, units: 1, price: rate }] : []),
    ...(inputs && more > 0 ? [{ sku: `${id}-inpaint-input-image`, units: more, price: inputs.additional }] : []),
  ]
}

function ratioIn(asked: string | undefined, { aspectRatios }: InpaintPart, { id }: Model): string | undefined {
  if (asked === undefined || asked === 'auto') return undefined
  if (aspectRatios.includes(asked)) return asked
  throw invalidField(
    ['aspect_ratio'],
    `is not supported by ${id}; use ${aspectRatios.length > 0 ? `one of ${aspectRatios.join(', ')}` : 'auto'}`,
  )
}

function resolutionOf(asked: string | undefined, { resolutions = [], defaultResolution }: InpaintPart, model: Model) {
  const known = resolutions.length > 0 ? resolutions : [DEFAULT_RESOLUTION]
  if (asked !== undefined) assertOffered('resolution', asked, known, model)
  return asked ?? defaultResolution ?? known[0] ?? DEFAULT_RESOLUTION
}

function formatOf(asked: EditFields['output_format'], resolution: string): PictureFormat {
  if (asked === undefined) return resolution === DEFAULT_RESOLUTION ? 'png' : 'jpeg'
  return asked === 'jpg' ? 'jpeg' : asked
}

export type Edited = { picture: ImageFile; enhancedPrompt?: string }

export function runEdit(work: EditWork, meter: Meter, _context: RequestContext, signal: AbortSignal): Promise<Edited> {
  const wording = { noun: 'The image', code: 'IMAGE_EDIT_ERROR' } as const
  return withinDeadline(meter, signal, wording, async (limited, memory) => {
    const { model, quality, format } = work
    const images: InputImage[] = []
    for (const source of work.images) images.push(await openSource(source, memory, limited))
    const { prompt, enhancement } = work
    const enhancedPrompt = enhancement && (await enhanced(enhancement, prompt, limited, images[0]))
    const request = {
      model: model.upstreamModel,
      prompt: enhancedPrompt ?? prompt,
      images,
      size: sizeOf(work),
      quality,
    }
    const bytes = await imageEngineOf(model.engine).edit(request, limited)
    memory.reserve(bytes.length * RESULT_COPIES)
    const image = await writeImage(bytes, { format }, limited)
    const lines = [...work.lines, ...(enhancedPrompt === undefined ? [] : enhancementLines())]
    meter.readWith(() => ({ lines, modelId: model.id, modelType: 'IMAGE' }))
    return { picture: image, enhancedPrompt }
  })
}

function sizeOf({ ratio, resolution }: EditWork): Size | undefined {
  const number = ratio === undefined ? undefined : ratioOf(ratio)
  return number === undefined ? undefined : sizeOfRatio(number, resolution)
}

/** Renders a file, never JSON. Source: API contract, images.md. */
export async function renderEdit(output: Promise<Edited>): Promise<Reply> {
  const { picture: image, enhancedPrompt } = await output
  const headers = {
    'x-service-is-content-violation': 'false',
    ...instanceHeader(),
    ...enhancedHeader(enhancedPrompt),
  }
  return { body: new Uint8Array(image.bytes), contentType: image.mime, headers }
}
