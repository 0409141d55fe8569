import type { VideoInput } from '@/lib/endpoints/video/media'
import { secondsOf } from '@/lib/endpoints/video/quote'

/** The short side of a size that has a name. */
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
/** Encoders want sides that are even. */
const STEP = 2

/** A request in the names of `POST /videos`: seconds as text, one size in pixels, one picture to begin with. */
export function openAiInput(input: VideoInput, names: Record<string, string>): Record<string, unknown> {
  const seconds = secondsOf(input.duration)
  return withoutUndefined({
    prompt: input.prompt,
    negative_prompt: input.negative_prompt,
    seconds: seconds === undefined ? undefined : String(seconds),
    size: sizeOf(input.aspect_ratio, input.resolution),
    input_reference: input.image_url === undefined ? undefined : { image_url: input.image_url },
    ...Object.fromEntries(Object.entries(names).map(([field, name]) => [name, fieldOf(input, field)])),
  })
}

/** The names that most models at predictions-style providers have. */
const PREDICTION_NAMES: Record<string, string> = {
  prompt: 'prompt',
  negative_prompt: 'negative_prompt',
  duration: 'duration',
  aspect_ratio: 'aspect_ratio',
  resolution: 'resolution',
  audio: 'generate_audio',
  image_url: 'image',
  end_image_url: 'last_frame_image',
}

/** A request in the provider's names: those of the models file first. What neither names is not sent. */
export function predictionInput(input: VideoInput, names: Record<string, string>): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...input, duration: secondsOf(input.duration) }
  const named = Object.entries({ ...PREDICTION_NAMES, ...names })
  return withoutUndefined(Object.fromEntries(named.map(([field, name]) => [name, fields[field]])))
}

/** A field by a name that a models file gives: nothing for one that is not there. */
function fieldOf(input: VideoInput, field: string): unknown {
  return Object.hasOwn(input, field) ? (input as Record<string, unknown>)[field] : undefined
}

/** Width and height, as `1280x720`; nothing when the caller chose neither. */
export function sizeOf(ratio: string | undefined, resolution: string | undefined): string | undefined {
  if (ratio === undefined && resolution === undefined) return undefined
  const [wide = 16, high = 9] = /^\d+:\d+$/.test(ratio ?? '') ? (ratio ?? '').split(':').map(Number) : []
  const short = SHORT_SIDE[resolution ?? ''] ?? DEFAULT_SHORT_SIDE
  const even = (side: number) => Math.round(side / STEP) * STEP
  return wide >= high ? `${even((short * wide) / high)}x${short}` : `${short}x${even((short * high) / wide)}`
}

function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
