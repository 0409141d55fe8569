import { z } from 'zod'
import { MAX_DATA_URL_CHARS, MAX_SENT_URL_CHARS, MAX_VIDEO_PROMPT_CHARS } from '@/lib/contract/limits'
import { MEDIA_ROLES } from '@/lib/contract/models'
import { modelName } from '@/lib/contract/models.schema'

const seconds = Array.from({ length: 30 }, (_, index) => `${index + 1}s`)
const DURATIONS = [...seconds, '1 gen', 'Auto', 'auto', '-1'] as const
export const ASPECT_RATIOS = [
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
export const RESOLUTIONS = [
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

const choices = {
  duration: z
    .enum(DURATIONS)
    .describe(
      "Duration of the video. `Auto` lets the model choose. The model's `durations` lists the supported values.",
    ),
  aspect_ratio: z
    .enum(ASPECT_RATIOS)
    .optional()
    .describe("Aspect ratio from the model's `aspect_ratios`, if it offers several."),
  resolution: z
    .enum(RESOLUTIONS)
    .optional()
    .describe("Resolution from the model's `resolutions`, if it offers several."),
  upscale_factor: z
    .union([z.literal(1), z.literal(2), z.literal(4)])
    .optional()
    .describe('Upscale factor, on models that support it.'),
  audio: z.boolean().optional().describe('Generates audio, on models with configurable audio.'),
}

const url = z
  .string()
  .max(MAX_DATA_URL_CHARS)
  .refine((text) => /^(https?:\/\/|data:)/i.test(text), 'must be an http(s) URL or a data URL')
const urls = (most: number) => z.array(url).max(most)

// Source for this file: API contract, video.md.
export const VideoQuoteRequest = z.object({
  model: modelName,
  ...choices,
  video_url: url.optional().describe('Input video as a data URL or a public URL.'),
  reference_video_total_duration: z
    .number()
    .min(0)
    .max(86_400)
    .optional()
    .describe('Total duration of the reference videos in seconds.'),
})
export type VideoQuoteRequest = z.output<typeof VideoQuoteRequest>

// Confirmations of the caller, by the flow that a 409 named. Only `true` confirms.
const Consents = z
  .record(
    z.string().max(64),
    z.object({
      confirmed_terms_and_privacy: z.boolean().optional().describe('Confirms acceptance of the terms.'),
      confirmed_legal_right: z.boolean().optional().describe('Confirms the right to use the faces in the media.'),
      confirmed_screening_acknowledged: z.boolean().optional().describe('Confirms awareness that media are screened.'),
    }),
  )
  .refine((consents) => Object.keys(consents).length <= MAX_FLOWS, `must contain at most ${MAX_FLOWS} flows`)

export const VideoQueueRequest = z.object({
  model: modelName,
  ...choices,
  prompt: z.string().min(1, 'must not be empty').max(MAX_VIDEO_PROMPT_CHARS).describe('Description of the video.'),
  negative_prompt: z
    .string()
    .max(MAX_VIDEO_PROMPT_CHARS)
    .optional()
    .describe('Description of what to avoid in the video.'),
  image_url: url.optional().describe('First frame as a data URL or a public URL.'),
  end_image_url: url.optional().describe('Last frame as a data URL or a public URL.'),
  audio_url: url.optional().describe('Input audio, on models that accept it.'),
  video_url: url.optional().describe('Input video as a data URL or a public URL.'),
  reference_image_urls: urls(30).optional().describe('Reference images, on models that accept them.'),
  reference_video_urls: urls(10).optional().describe('Reference videos, on models that accept them.'),
  reference_audio_urls: urls(10).optional().describe('Reference audio, on models that accept it.'),
  elements: z
    .array(
      z.object({
        frontal_image_url: url.optional().describe('Front view of the element.'),
        reference_image_urls: urls(3).optional().describe('Other views of the element.'),
        video_url: url.optional().describe('Video of the element.'),
      }),
    )
    .max(4)
    .optional()
    .describe('Elements to show, each with reference images, on models that accept them.'),
  scene_image_urls: urls(4).optional().describe('Scene images, on models that accept them.'),
  keyframes: z.array(z.unknown()).max(10).optional().describe('Images with timestamps, on models that accept them.'),
  consents: Consents.optional().describe(
    'Confirmations of the end user, by the `consent_flow` of the 409 response that requested them.',
  ),
})
export type VideoQueueRequest = z.output<typeof VideoQueueRequest>

export const VideoTranscriptionRequest = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be the http(s) URL of a video or of a page with a video' })
    .max(MAX_SENT_URL_CHARS)
    .describe('URL of a video or audio file, or of a page that links to one.'),
  response_format: z.enum(['json', 'text']).default('json').describe('Format of the response: JSON or plain text.'),
})
export type VideoTranscriptionRequest = z.output<typeof VideoTranscriptionRequest>

export const VideoQueueResponse = z.strictObject({
  model: z.string().describe('Model ID.'),
  queue_id: z.uuid().describe('ID of the job. Use it to retrieve the result.'),
  download_url: z
    .url()
    .optional()
    .describe(
      'Download URL of the video, valid for 24 hours without credentials. If present, `retrieve` returns JSON only.',
    ),
})

// Body of a 409 of `POST /video/queue`. Source: API contract, README 7.1, E7.
export const ConsentNeeded = z.strictObject({
  error: z
    .strictObject({
      code: z.literal('needs_consent'),
      message: z.string().describe('Human-readable message.'),
    })
    .describe('Missing confirmation.'),
  consent_flow: z.string().describe('Key of the confirmation in `consents`.'),
  face_media_roles: z.array(z.enum(MEDIA_ROLES)).describe('Media of the request that may show people.'),
  consent: z
    .strictObject({
      consent_version: z.string().describe('Version of the policy.'),
      policy_text: z.string().describe('Text of the policy.'),
    })
    .describe('Policy to show to the end user.'),
  docs_url: z.string().describe('URL of the documentation.'),
})
export type ConsentNeeded = z.output<typeof ConsentNeeded>

export const VideoTranscriptionResponse = z.strictObject({
  transcript: z.string().describe('Transcript.'),
  lang: z.string().optional().describe('Language of the transcript, if known.'),
})

export type VideoQueueResponse = z.output<typeof VideoQueueResponse>
export type VideoTranscriptionResponse = z.output<typeof VideoTranscriptionResponse>

// Body of a 422 of `POST /video/retrieve`. Source: API contract, README 7.1, E5.
export const ProviderPolicyError = z.object({
  error: z
    .object({
      message: z.string().describe('Human-readable message: the problem and how to fix it.'),
      type: z.literal('provider_content_policy'),
      recommended_model: z.string().optional().describe('ID of a model that may accept the request.'),
      credits_refunded: z.boolean().describe('`true` if the reserved amount was refunded.'),
    })
    .describe('Reason for the rejection by the model.'),
})
