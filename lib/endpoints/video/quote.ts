import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import type { MediaRole } from '@/lib/contract/media-roles'
import type { Usd } from '@/lib/contract/money'
import type { ConsentNeeded, VideoQueueRequest, VideoQuoteRequest } from '@/lib/contract/video.schema'
import { assertChoices, assertFits } from '@/lib/endpoints/video/fits'
import { assertMedia, type VideoInput } from '@/lib/endpoints/video/media'
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

/**
 * Refuses media that may show faces until the caller has confirmed what the model's operator wants confirmed. Nobody
 * looks for faces: media of these roles always need it.
 *
 * @throws ApiError needs_consent. Source: API contract, video.md, "409 body".
 */
function assertConsent(body: VideoQueueRequest, { consent }: VideoPart): void {
  if (!consent) return
  const roles = consent.roles.filter((role) => holds(body, role))
  if (roles.length === 0 || isConfirmed(body, consent.flow)) return
  const message = `This model needs a confirmation for media that may show people. Show the policy, and send the same request with \`consents.${consent.flow}\`.`
  const needed: ConsentNeeded = {
    error: { code: 'needs_consent', message },
    consent_flow: consent.flow,
    face_media_roles: roles,
    consent: { consent_version: consent.version, policy_text: consent.text },
    docs_url: consent.url,
  }
  throw new ApiError('needs_consent', message, { body: needed })
}

function holds(body: VideoQueueRequest, role: MediaRole): boolean {
  const elements = body.elements ?? []
  switch (role) {
    case 'image':
      return body.image_url !== undefined
    case 'end_image':
      return body.end_image_url !== undefined
    case 'video':
      return body.video_url !== undefined
    case 'reference_image':
      return (
        isAny(body.reference_image_urls) ||
        isAny(body.scene_image_urls) ||
        elements.some((one) => one.frontal_image_url !== undefined || isAny(one.reference_image_urls))
      )
    case 'reference_video':
      return isAny(body.reference_video_urls) || elements.some((one) => one.video_url !== undefined)
  }
}

const isAny = (urls: string[] = []): boolean => urls.length > 0

function isConfirmed({ consents = {} }: VideoQueueRequest, flow: string): boolean {
  if (!Object.hasOwn(consents, flow)) return false
  const said = consents[flow]
  return Boolean(
    said?.confirmed_terms_and_privacy && said.confirmed_legal_right && said.confirmed_screening_acknowledged,
  )
}
