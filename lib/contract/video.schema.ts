import { z } from 'zod'
import { MAX_SENT_URL_CHARS, MAX_VIDEO_PROMPT_CHARS } from '@/lib/contract/limits'
import { MEDIA_ROLES } from '@/lib/contract/video'

const seconds = Array.from({ length: 30 }, (_, index) => `${index + 1}s`)
const DURATIONS = [...seconds, '1 gen', 'Auto', 'auto', '-1'] as const
const ASPECT_RATIOS = [
  '1:1',
  '2:3',
  '3:2',
  '3:4',
  '4:3',
  '4:5',
  '5:4',
  '9:16',
  '9:21',
  '16:9',
  '21:9',
  'adaptive',
  'auto',
] as const
const RESOLUTIONS = [
  '256p',
  '360p',
  '480p',
  '540p',
  '580p',
  '720p',
  '768P',
  '1080p',
  '1440p',
  '2160p',
  '2K',
  '4k',
  '2x',
  '4x',
  'true_1080p',
] as const

const MAX_FLOWS = 10
const MAX_URL = 36_000_000

const model = z.string().min(1).max(256)
const choices = {
  duration: z.enum(DURATIONS),
  aspect_ratio: z.enum(ASPECT_RATIOS).optional(),
  resolution: z.enum(RESOLUTIONS).optional(),
  upscale_factor: z.union([z.literal(1), z.literal(2), z.literal(4)]).optional(),
  audio: z.boolean().optional(),
}

const url = z
  .string()
  .max(MAX_URL)
  .refine((text) => /^(https?:\/\/|data:)/i.test(text), 'must be an http(s) address or a data URL')
const urls = (most: number) => z.array(url).max(most)

/** Body of `POST /video/quote`. Open. Source: API contract, video.md. */
export const VideoQuoteRequest = z.object({
  model,
  ...choices,
  video_url: url.optional(),
  reference_video_total_duration: z.number().min(0).max(86_400).optional(),
})
export type VideoQuoteRequest = z.output<typeof VideoQuoteRequest>

/** What a caller confirms, by the flow that a 409 named. What is not true is not confirmed. */
const Consents = z
  .record(
    z.string().max(64),
    z.object({
      confirmed_terms_and_privacy: z.boolean().optional(),
      confirmed_legal_right: z.boolean().optional(),
      confirmed_screening_acknowledged: z.boolean().optional(),
    }),
  )
  .refine((consents) => Object.keys(consents).length <= MAX_FLOWS, `must name at most ${MAX_FLOWS} flows`)

/** Body of `POST /video/queue`. Open. */
export const VideoQueueRequest = z.object({
  model,
  ...choices,
  prompt: z.string().min(1, 'must not be empty').max(MAX_VIDEO_PROMPT_CHARS),
  negative_prompt: z.string().max(MAX_VIDEO_PROMPT_CHARS).optional(),
  image_url: url.optional(),
  end_image_url: url.optional(),
  audio_url: url.optional(),
  video_url: url.optional(),
  reference_image_urls: urls(30).optional(),
  reference_video_urls: urls(10).optional(),
  reference_audio_urls: urls(10).optional(),
  elements: z
    .array(
      z.object({
        frontal_image_url: url.optional(),
        reference_image_urls: urls(3).optional(),
        video_url: url.optional(),
      }),
    )
    .max(4)
    .optional(),
  scene_image_urls: urls(4).optional(),
  keyframes: z.array(z.unknown()).max(10).optional(),
  consents: Consents.optional(),
})
export type VideoQueueRequest = z.output<typeof VideoQueueRequest>

/** Body of `POST /video/transcriptions`. Closed. */
export const VideoTranscriptionRequest = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be the http(s) address of a video or of its page' })
    .max(MAX_SENT_URL_CHARS),
  response_format: z.enum(['json', 'text']).default('json'),
})
export type VideoTranscriptionRequest = z.output<typeof VideoTranscriptionRequest>

/** Reply of `POST /video/queue`. */
export const VideoQueueResponse = z.strictObject({
  model: z.string(),
  queue_id: z.uuid(),
  /** Of some models: where the film will be, for whoever has this address. */
  download_url: z.url().optional(),
})

/** Body of a 409 of `POST /video/queue`. Source: API contract, README 7.1, E7. */
export const ConsentNeeded = z.strictObject({
  error: z.strictObject({ code: z.literal('needs_consent'), message: z.string() }),
  consent_flow: z.string(),
  face_media_roles: z.array(z.enum(MEDIA_ROLES)),
  consent: z.strictObject({ consent_version: z.string(), policy_text: z.string() }),
  docs_url: z.string(),
})
export type ConsentNeeded = z.output<typeof ConsentNeeded>

/** Reply of `POST /video/transcriptions` as `json`. */
export const VideoTranscriptionResponse = z.strictObject({ transcript: z.string(), lang: z.string().optional() })
