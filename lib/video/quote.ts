import 'server-only'
import type { Caller } from '@/lib/access/caller'
import type { Quote } from '@/lib/api/metered'
import type { Charge } from '@/lib/billing/ledger'
import { chargeOf, priceOf } from '@/lib/billing/price'
import type { RequestContext } from '@/lib/core/context'
import { newId } from '@/lib/core/ids'
import type { Usd } from '@/lib/core/money'
import type { VideoPart } from '@/lib/models/job-parts'
import type { Model } from '@/lib/models/model'
import { resolveModel } from '@/lib/models/resolve'
import { assertChoices, assertFits } from '@/lib/video/fits'
import { assertMedia } from '@/lib/video/media'
import { videoLines } from '@/lib/video/price'
import type { VideoQueueRequest, VideoQuoteRequest } from '@/lib/video/schema'

/** A job as its row keeps it: the contract's fields, checked. */
export type VideoInput = Omit<VideoQueueRequest, 'model'>

export type VideoOrder = { model: Model; input: VideoInput; charge: Charge }

/** @throws ApiError as `resolveModel`; INVALID_REQUEST for what the model does not make. */
export function quoteVideo(body: VideoQuoteRequest, context: RequestContext): Usd {
  const { model, can } = videoModel(body.model, { context })
  assertChoices(body, model.id, can)
  return priceOf(videoLines(model, can, body))
}

/** Checks a job against its model, and prices it. @throws ApiError as `quoteVideo`. */
export function orderVideo(
  { model: name, ...input }: VideoQueueRequest,
  caller: Caller,
  context: RequestContext,
): Quote<VideoOrder> {
  const { model, can } = videoModel(name, { context, caller })
  assertFits({ model: name, ...input }, model.id, can)
  assertMedia(input)
  const priced = chargeOf(videoLines(model, can, input))
  const charge: Charge = { ...priced, modelId: model.id, modelType: 'VIDEO' }
  return { requestId: newId('video'), model, amount: priced.amount, work: { model, input, charge } }
}

function videoModel(
  name: string,
  options: { context: RequestContext; caller?: Caller },
): { model: Model; can: VideoPart } {
  const model = resolveModel(name, { type: 'video', ...options })
  // Every model of the type has it.
  return { model, can: model.video as VideoPart }
}
