import { invalidField } from '@/lib/contract/errors'
import type { VideoQueueRequest, VideoQuoteRequest } from '@/lib/contract/video.schema'
import type { VideoPart } from '@/lib/services/models/job-parts'

/** Source: API contract, models.md. */
const PROMPT_CHARACTERS = 2_500

/** Media that only some models take, and only those say so by naming them in `inputNames`. */
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

/** Refuses a length, shape or size that a model does not make. @throws ApiError INVALID_REQUEST naming the field. */
export function assertChoices(
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

/** The same for a job, which also needs what a price can do without. */
export function assertFits(body: VideoQueueRequest, id: string, can: VideoPart): void {
  assertChoices(body, id, can)
  if (can.aspect_ratios.length > 0 && body.aspect_ratio === undefined) throw notOne('aspect_ratio', can.aspect_ratios)
  if (can.resolutions.length > 0 && body.resolution === undefined) throw notOne('resolution', can.resolutions)
  const most = can.prompt_character_limit ?? PROMPT_CHARACTERS
  for (const field of ['prompt', 'negative_prompt'] as const) {
    if ((body[field]?.length ?? 0) > most) throw invalidField([field], `must be at most ${most} characters`)
  }
  if (can.model_type === 'image-to-video' && body.image_url === undefined) {
    throw invalidField(['image_url'], `is required: ${id} begins with a picture`)
  }
  if (can.model_type === 'text-to-video' && (body.image_url ?? body.end_image_url) !== undefined) {
    const field = body.image_url === undefined ? 'end_image_url' : 'image_url'
    if (can.inputNames?.[field] === undefined) throw invalidField([field], `is not taken: ${id} makes films of text`)
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
