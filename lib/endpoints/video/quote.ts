import 'server-only'
import type { Usd } from '@/lib/contract/money'
import type { VideoQueueRequest, VideoQuoteRequest } from '@/lib/contract/video.schema'
import { assertConsent } from '@/lib/endpoints/video/consent'
import { assertChoices, assertFits } from '@/lib/endpoints/video/fits'
import { assertMedia } from '@/lib/endpoints/video/media'
import { videoLines } from '@/lib/endpoints/video/price'
import { MOST_REFERENCE_SECONDS } from '@/lib/endpoints/video/references'
import type { Caller } from '@/lib/kernel/caller'
import type { RequestContext } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import { requestIdOf } from '@/lib/pipeline/request-id'
import type { Charge } from '@/lib/services/ledger/ledger'
import { chargeOf, priceOf } from '@/lib/services/ledger/price'
import type { VideoPart } from '@/lib/services/models/job-parts'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'

/** A job as its row keeps it: the contract's fields, checked. */
export type VideoInput = Omit<VideoQueueRequest, 'model'>

/** `charge` is the most that it costs: what its reference clips are is looked at when the money is there. */
export type VideoOrder = { model: Model; input: VideoInput; charge: Charge }

/** @throws ApiError as `resolveModel`; INVALID_REQUEST for what the model does not make. */
export function quoteVideo(body: VideoQuoteRequest, context: RequestContext): Usd {
  const { model, can } = videoModel(body.model, { context })
  assertChoices(body, model.id, can)
  return priceOf(videoLines(model, can, { ...body, referenceSeconds: body.reference_video_total_duration }))
}

/** Checks a job against its model, and prices it. @throws ApiError as `quoteVideo`; needs_consent. */
export function orderVideo(
  { model: name, ...input }: VideoQueueRequest,
  caller: Caller,
  context: RequestContext,
): Quote<VideoOrder> {
  const { model, can } = videoModel(name, { context, caller })
  assertFits({ model: name, ...input }, model.id, can)
  assertMedia(input)
  assertConsent({ model: name, ...input }, can)
  const refersToClips = (input.reference_video_urls?.length ?? 0) > 0
  const charge = videoCharge(model, input, refersToClips ? MOST_REFERENCE_SECONDS : undefined)
  return {
    requestId: requestIdOf(context, caller, 'video'),
    model,
    amount: charge.amount,
    work: { model, input, charge },
  }
}

/** What a film costs that refers to clips of so many seconds. */
export function videoCharge(model: Model, input: VideoInput, referenceSeconds: number | undefined): Charge {
  // Every model of the type has it.
  const lines = videoLines(model, model.video as VideoPart, { ...input, referenceSeconds })
  return { ...chargeOf(lines), modelId: model.id, modelType: 'VIDEO' }
}

function videoModel(
  name: string,
  options: { context: RequestContext; caller?: Caller },
): { model: Model; can: VideoPart } {
  const model = resolveModel(name, { type: 'video', ...options })
  // Every model of the type has it.
  return { model, can: model.video as VideoPart }
}
