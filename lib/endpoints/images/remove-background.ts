import 'server-only'
import type { z } from 'zod'
import { ApiError, invalidField } from '@/lib/contract/errors'
import type { BackgroundForm, BackgroundRequest } from '@/lib/contract/images.schema'
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
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { imageEngineOf } from '@/lib/services/engines/registry'
import { type Meter, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'

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
    memory.reserve(bytes.length * RESULT_COPIES)
    const imageFile = await writeImage(bytes, { format: 'png' }, limited)
    meter.readWith(() => ({ lines, modelId: model.id, modelType: 'IMAGE' }))
    return imageFile
  })
}
