import 'server-only'
import type { z } from 'zod'
import { ApiError, invalidField } from '@/lib/contract/errors'
import type { BackgroundForm, BackgroundRequest, UpscaleForm, UpscaleRequest } from '@/lib/contract/images.schema'
import { MAX_IMAGE_PIXELS, MAX_UPSCALED_PIXELS } from '@/lib/contract/limits'
import {
  type Either,
  type ImageFile,
  openSource,
  type Source,
  sourceOf,
  withinDeadline,
  writeImage,
} from '@/lib/endpoints/images/image-io'
import type { Size } from '@/lib/endpoints/images/sizes'
import type { Caller, RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { instanceHeader, type Reply } from '@/lib/pipeline/reply'
import { requestIdOf } from '@/lib/pipeline/request-id'
import { imageEngineOf } from '@/lib/services/engines/image-engine'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'

// As an engine sends an image, and as it goes out.
const COPIES = 2
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
    memory.reserve(bytes.length * COPIES)
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

/** Source: API contract, images.md. */
export async function renderPng(output: Promise<ImageFile>): Promise<Reply> {
  const { bytes, mime } = await output
  return { body: new Uint8Array(bytes), contentType: mime, headers: instanceHeader() }
}

// The edit model with this trait removes backgrounds: the request names no model.
const BACKGROUND_TRAIT = 'background_removal'

type BackgroundFormBody = Extract<Either<typeof BackgroundRequest, typeof BackgroundForm>, { files: Source[] }>
export type BackgroundWork = { model: Model; image: Source; lines: PricedUnits[] }

/** @throws ApiError MODEL_OFFLINE 503 where no model of this service can do it. */
export function quoteBackground(
  sent: Either<typeof BackgroundRequest, typeof BackgroundForm>,
  caller: Caller,
  context: RequestContext,
): Quote<BackgroundWork> {
  const image = 'files' in sent ? sourceInForm(sent) : sourceIn(sent.body)
  const model = remover(caller, context)
  const price = model.inpaint?.prices?.base
  const lines = price ? [{ sku: `${model.id}-background-removal-unit`, units: 1, price }] : []
  const requestId = requestIdOf(context, caller, 'cut-image')
  return { requestId, model, amount: priceOf(lines), work: { model, image, lines } }
}

function sourceInForm({ files: [file], fields: { image_url: url } }: BackgroundFormBody): Source {
  if ((file === undefined) === (url === undefined)) throw invalidField(['image'], 'send either `image` or `image_url`')
  return file ?? sourceIn({ image_url: url })
}

function sourceIn({ image, image_url: url }: z.output<typeof BackgroundRequest>): Source {
  if (image !== undefined) return sourceOf(image, ['image'], { takesAddress: false })
  return sourceOf(url ?? '', ['image_url'], { takesAddress: true })
}

function remover(caller: Caller, context: RequestContext): Model {
  try {
    return resolveModel(BACKGROUND_TRAIT, { type: 'inpaint', caller, context })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'MODEL_NOT_FOUND') throw error
    throw new ApiError('MODEL_OFFLINE', 'No model of this service removes backgrounds.', { cause: error })
  }
}

export function runBackground(
  { model, image: source, lines }: BackgroundWork,
  meter: Meter,
  _context: RequestContext,
  signal: AbortSignal,
): Promise<ImageFile> {
  const wording = { noun: 'The image', code: 'IMAGE_EDIT_ERROR' } as const
  return withinDeadline(meter, signal, wording, async (limited, memory) => {
    const image = await openSource(source, memory, limited)
    const bytes = await imageEngineOf(model.engine).cutOut({ model: model.upstreamModel, image }, limited)
    memory.reserve(bytes.length * COPIES)
    const imageFile = await writeImage(bytes, { format: 'png' }, limited)
    meter.readWith(() => ({ lines, modelId: model.id, modelType: 'IMAGE' }))
    return imageFile
  })
}
