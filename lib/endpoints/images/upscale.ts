import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { UpscaleForm, UpscaleRequest } from '@/lib/contract/images.schema'
import { MAX_IMAGE_PIXELS, MAX_UPSCALED_PIXELS } from '@/lib/contract/limits'
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
import type { Size } from '@/lib/endpoints/images/sizes'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { imageEngineOf } from '@/lib/services/engines/registry'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'

const SMALL_FACTOR = 2
const LARGE_FACTOR = 4

export type UpscaleWork = { model: Model; image: Source; factor: 2 | 4; creativity: number }

export function quoteUpscale(
  sent: Either<typeof UpscaleRequest, typeof UpscaleForm>,
  caller: Caller,
  context: RequestContext,
): Quote<UpscaleWork> {
  const { model: name = 'default', scale: factor, creativity } = 'files' in sent ? sent.fields : sent.body
  const image =
    'files' in sent ? (sent.files[0] as Source) : sourceOf(sent.body.image, ['image'], { takesAddress: false })
  const model = resolveModel(name, { type: 'upscale', caller, context })
  return {
    requestId: requestIdOf(context, caller, 'upscale-image'),
    model,
    amount: priceOf(upscaleLines(model, factor)),
    work: { model, image, factor, creativity },
  }
}

function upscaleLines({ id, upscale }: Model, factor: number): PricedUnits[] {
  const name = factor > SMALL_FACTOR ? '4x' : '2x'
  const price = upscale?.prices?.[name]
  return price ? [{ sku: `${id}-upscale-${name}-unit`, units: 1, price }] : []
}

/** Upscales the image. The actual factor is charged, and nothing when it failed. */
export function runUpscale(
  { model, image: source, factor, creativity }: UpscaleWork,
  meter: Meter,
  _context: RequestContext,
  signal: AbortSignal,
): Promise<ImageFile> {
  const wording = { noun: 'The upscaled image', code: 'UPSCALE_FAILED' } as const
  return withinDeadline(meter, signal, wording, async (limited, memory) => {
    const image = await openSource(source, memory, limited)
    const size = enlarged(image, factor, source)
    const truly = size.width / image.width
    // Between two and four: the engine makes the larger one, which is then scaled down.
    const asked: UpscaleWork['factor'] = truly > SMALL_FACTOR ? LARGE_FACTOR : SMALL_FACTOR
    const request = { model: model.upstreamModel, image, factor: asked, creativity }
    const bytes = await imageEngineOf(model.engine).upscale(request, limited)
    memory.reserve(bytes.length * RESULT_COPIES)
    const imageFile = await writeImage(bytes, { format: 'png', size }, limited)
    const lines = upscaleLines(model, truly)
    meter.readWith(() => ({ lines, modelId: model.id, modelType: 'IMAGE' }))
    return imageFile
  })
}

// Four times is reduced to what is allowed, two times is not.
function enlarged({ width, height }: Size, factor: 2 | 4, { path }: Source): Size {
  const max = Math.sqrt(MAX_UPSCALED_PIXELS / (width * height))
  if (max < SMALL_FACTOR) {
    const message = `The image is ${width} x ${height} pixels; enlarged it may have ${MAX_UPSCALED_PIXELS} pixels at most.`
    throw new ApiError('IMAGE_TOO_LARGE', message, { issues: [{ code: 'custom', path, message }] })
  }
  // What the engine makes is four times as large before it is scaled down, and has to be read first.
  const isFourWithin = width * height * LARGE_FACTOR ** 2 <= MAX_IMAGE_PIXELS
  const truly = Math.min(factor, isFourWithin ? max : SMALL_FACTOR)
  return { width: Math.floor(width * truly), height: Math.floor(height * truly) }
}
