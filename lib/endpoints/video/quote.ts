import 'server-only'
import { ApiError, invalidField } from '@/lib/contract/errors'
import { DEFAULT_VIDEO_PROMPT_CHARS } from '@/lib/contract/limits'
import type { MediaRole } from '@/lib/contract/models'
import { perUnit, type Usd } from '@/lib/contract/money'
import type { ConsentNeeded, VideoQueueRequest, VideoQuoteRequest } from '@/lib/contract/video.schema'
import { assertMedia, MAX_REFERENCE_SECONDS, type VideoInput } from '@/lib/endpoints/video/media'
import { type Caller, type RequestContext, requestIdOf } from '@/lib/kernel/request-context'
import type { Quote } from '@/lib/pipeline/metered'
import type { Charge } from '@/lib/services/ledger/ledger-types'
import { chargeOf, type PricedUnits, priceOf } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'
import { resolveModel } from '@/lib/services/models/resolve'
import type { VideoPart } from '@/lib/services/models/type-parts'

/** `charge` is an upper bound: reference clips are measured once the money is on hold. */
export type VideoOrder = { model: Model; input: VideoInput; charge: Charge }

/** @throws ApiError as `resolveModel`; INVALID_REQUEST for what the model does not make. */
export function quoteVideo(body: VideoQuoteRequest, context: RequestContext): Usd {
  const { model, can } = videoModel(body.model, { context })
  assertChoices(body, model.id, can)
  return priceOf(videoLines(model, can, { ...body, referenceSeconds: body.reference_video_total_duration }))
}

/** Checks a job against its model and prices it. @throws ApiError as `quoteVideo`; needs_consent. */
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
  const charge = videoCharge(model, input, refersToClips ? MAX_REFERENCE_SECONDS : undefined)
  return {
    requestId: requestIdOf(context, caller, 'video'),
    model,
    amount: charge.amount,
    work: { model, input, charge },
  }
}

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

// Media of some models only, which name them in `inputNames`.
const SPECIAL = [
  'audio_url',
  'video_url',
  'reference_image_urls',
  'reference_video_urls',
  'reference_audio_urls',
  'elements',
  'scene_image_urls',
  'keyframes',
  'upscale_factor',
] as const

/** @throws ApiError INVALID_REQUEST naming the field. */
function assertChoices(
  { duration, aspect_ratio, resolution, audio }: VideoQuoteRequest | VideoQueueRequest,
  id: string,
  can: VideoPart,
): void {
  const known = can.durations
  if (known.length > 0 && !known.includes(duration)) throw notOne('duration', known)
  assertOption('aspect_ratio', aspect_ratio, can.aspect_ratios, id)
  assertOption('resolution', resolution, can.resolutions, id)
  if (audio !== undefined && audio !== can.audio && !can.audio_configurable) {
    throw invalidField(['audio'], `cannot be chosen: ${id} makes ${can.audio ? 'sound always' : 'no sound'}`)
  }
}

function assertFits(body: VideoQueueRequest, id: string, can: VideoPart): void {
  assertChoices(body, id, can)
  if (can.aspect_ratios.length > 0 && body.aspect_ratio === undefined) throw notOne('aspect_ratio', can.aspect_ratios)
  if (can.resolutions.length > 0 && body.resolution === undefined) throw notOne('resolution', can.resolutions)
  const max = can.prompt_character_limit ?? DEFAULT_VIDEO_PROMPT_CHARS
  for (const field of ['prompt', 'negative_prompt'] as const) {
    if ((body[field]?.length ?? 0) > max) throw invalidField([field], `must be at most ${max} characters`)
  }
  if (can.model_type === 'image-to-video' && body.image_url === undefined) {
    throw invalidField(['image_url'], `is required: ${id} starts from an image`)
  }
  if (can.model_type === 'text-to-video' && (body.image_url ?? body.end_image_url) !== undefined) {
    const field = body.image_url === undefined ? 'end_image_url' : 'image_url'
    if (can.inputNames?.[field] === undefined)
      throw invalidField([field], `is not supported: ${id} generates videos from text`)
  }
  for (const field of SPECIAL) {
    if (body[field] !== undefined && can.inputNames?.[field] === undefined) {
      throw invalidField([field], `is not taken by ${id}; leave it out`)
    }
  }
}

function assertOption(
  field: 'aspect_ratio' | 'resolution',
  value: string | undefined,
  options: string[],
  id: string,
): void {
  if (value === undefined) return
  if (options.length === 0) throw invalidField([field], `cannot be chosen for ${id}; leave it out`)
  if (!options.includes(value)) throw notOne(field, options)
}

const notOne = (field: string, options: string[]) => invalidField([field], `must be one of ${options.join(', ')}`)

// For a length that the model chooses, where it does not state a maximum.
const DEFAULT_MAX_SECONDS = 30

/** Returns the seconds of a duration of the contract; undefined for those that the model chooses. */
export function secondsOf(duration: string): number | undefined {
  const digits = /^(\d{1,2})s$/.exec(duration)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

const SHORT_SIDE: Record<string, number> = {
  '256p': 256,
  '360p': 360,
  '480p': 480,
  '540p': 540,
  '580p': 580,
  '720p': 720,
  '768P': 768,
  '1080p': 1_080,
  true_1080p: 1_080,
  '1440p': 1_440,
  '2K': 1_440,
  '2160p': 2_160,
  '4k': 2_160,
}
const DEFAULT_SHORT_SIDE = 720
// Encoders need even sides.
const STEP = 2

/** Returns a size such as `1280x720`; undefined when the caller chose neither. */
export function sizeOf(ratio: string | undefined, resolution: string | undefined): string | undefined {
  if (ratio === undefined && resolution === undefined) return undefined
  const [wide = 16, high = 9] = /^\d+:\d+$/.test(ratio ?? '') ? (ratio ?? '').split(':').map(Number) : []
  const short = SHORT_SIDE[resolution ?? ''] ?? DEFAULT_SHORT_SIDE
  const even = (side: number) => Math.round(side / STEP) * STEP
  return wide >= high ? `${even((short * wide) / high)}x${short}` : `${short}x${even((short * high) / wide)}`
}

type PricedVideo = { duration: string; resolution?: string; referenceSeconds?: number }

// A video whose length the model chooses is priced as the longest that it makes.
function videoLines(model: Model, can: VideoPart, video: PricedVideo): PricedUnits[] {
  const perSecond = can.price?.perReferenceSecond
  const seconds = Math.ceil(video.referenceSeconds ?? 0)
  if (perSecond === undefined || seconds === 0) return outputLines(model, can, video)
  const references = { sku: `${model.id}-video-reference-second`, units: seconds, price: perUnit(perSecond) }
  return [...outputLines(model, can, video), references]
}

function outputLines(
  model: Model,
  { price, durations }: VideoPart,
  { duration, resolution }: PricedVideo,
): PricedUnits[] {
  if (!price) return []
  const lines: PricedUnits[] = []
  const perSecond = (resolution === undefined ? undefined : price.resolutions?.[resolution]) ?? price.perSecond
  if (price.perGeneration !== undefined) {
    lines.push({ sku: `${model.id}-video-generation`, units: 1, price: perUnit(price.perGeneration) })
  }
  if (perSecond !== undefined) {
    const named = resolution === undefined || price.resolutions?.[resolution] === undefined ? '' : `-${resolution}`
    const seconds = secondsOf(duration) ?? longest(durations)
    lines.push({ sku: `${model.id}-video-second${named}`, units: seconds, price: perUnit(perSecond) })
  }
  if (lines.length > 0) return lines
  // Priced by resolution alone, and none was named that has a price: the dearest, so that nothing is free by omission.
  const dearest = Math.max(...Object.values(price.resolutions ?? {}))
  return [
    { sku: `${model.id}-video-second`, units: secondsOf(duration) ?? longest(durations), price: perUnit(dearest) },
  ]
}

const longest = (durations: string[]): number => {
  const known = durations.flatMap((duration) => secondsOf(duration) ?? [])
  return known.length > 0 ? Math.max(...known) : DEFAULT_MAX_SECONDS
}

/**
 * Rejects media that may show faces until the caller has confirmed what the model's operator requires. Nothing detects
 * faces: media of these roles always need it. @throws ApiError needs_consent. Source: API contract, video.md, "409
 * body".
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
  const consent = consents[flow]
  return Boolean(
    consent?.confirmed_terms_and_privacy && consent.confirmed_legal_right && consent.confirmed_screening_acknowledged,
  )
}
