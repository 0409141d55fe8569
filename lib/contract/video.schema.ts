import { z } from 'zod'
import { MAX_DATA_URL_CHARS, MAX_SENT_URL_CHARS, MAX_VIDEO_PROMPT_CHARS } from '@/lib/contract/limits'
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

const model = z.string().min(1).max(256)
const choices = {
  duration: z.enum(DURATIONS).meta({
    description: 'How long the film is; `Auto` lets the model choose. `durations` of the model lists what it makes.',
  }),
  aspect_ratio: z
    .enum(ASPECT_RATIOS)
    .optional()
    .meta({ description: 'Its form: one of the `aspect_ratios` of the model, where it has a choice.' }),
  resolution: z
    .enum(RESOLUTIONS)
    .optional()
    .meta({ description: 'Its size: one of the `resolutions` of the model, where it has a choice.' }),
  upscale_factor: z
    .union([z.literal(1), z.literal(2), z.literal(4)])
    .optional()
    .meta({ description: 'How much the film is enlarged, on models that do that.' }),
  audio: z.boolean().optional().meta({ description: 'Whether it has sound, on models that let that be chosen.' }),
}

const url = z
  .string()
  .max(MAX_DATA_URL_CHARS)
  .refine((text) => /^(https?:\/\/|data:)/i.test(text), 'must be an http(s) address or a data URL')
const urls = (most: number) => z.array(url).max(most)

/** Body of `POST /video/quote`. Open. Source: API contract, video.md. */
export const VideoQuoteRequest = z.object({
  model: model.meta({
    description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.',
  }),
  ...choices,
  video_url: url.optional().meta({ description: 'A film to begin with: a data URL or a public address.' }),
  reference_video_total_duration: z
    .number()
    .min(0)
    .max(86_400)
    .optional()
    .meta({ description: 'Seconds of the films that go along.' }),
})
export type VideoQuoteRequest = z.output<typeof VideoQuoteRequest>

/** Confirmations of the caller, by the flow that a 409 named. Only `true` confirms. */
const Consents = z
  .record(
    z.string().max(64),
    z.object({
      confirmed_terms_and_privacy: z.boolean().optional().meta({ description: 'They agree to the terms.' }),
      confirmed_legal_right: z.boolean().optional().meta({ description: 'They may use the faces that go along.' }),
      confirmed_screening_acknowledged: z
        .boolean()
        .optional()
        .meta({ description: 'They know that what is sent is screened.' }),
    }),
  )
  .refine((consents) => Object.keys(consents).length <= MAX_FLOWS, `must name at most ${MAX_FLOWS} flows`)

/** Body of `POST /video/queue`. Open. */
export const VideoQueueRequest = z.object({
  model: model.meta({
    description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.',
  }),
  ...choices,
  prompt: z.string().min(1, 'must not be empty').max(MAX_VIDEO_PROMPT_CHARS).meta({ description: 'What happens.' }),
  negative_prompt: z.string().max(MAX_VIDEO_PROMPT_CHARS).optional().meta({ description: 'What should not happen.' }),
  image_url: url.optional().meta({ description: 'The first picture: a data URL or a public address.' }),
  end_image_url: url.optional().meta({ description: 'The last picture.' }),
  audio_url: url.optional().meta({ description: 'A sound that goes along, on models that take one.' }),
  video_url: url.optional().meta({ description: 'A film to begin with: a data URL or a public address.' }),
  reference_image_urls: urls(30).optional().meta({ description: 'Pictures to go by, on models that take them.' }),
  reference_video_urls: urls(10).optional().meta({ description: 'Films to go by, on models that take them.' }),
  reference_audio_urls: urls(10).optional().meta({ description: 'Sounds to go by, on models that take them.' }),
  elements: z
    .array(
      z.object({
        frontal_image_url: url.optional().meta({ description: 'The thing from the front.' }),
        reference_image_urls: urls(3).optional().meta({ description: 'The thing from other sides.' }),
        video_url: url.optional().meta({ description: 'The thing in motion.' }),
      }),
    )
    .max(4)
    .optional()
    .meta({ description: 'Things that appear, each by pictures of it, on models that take them.' }),
  scene_image_urls: urls(4).optional().meta({ description: 'Pictures of scenes, on models that take them.' }),
  keyframes: z
    .array(z.unknown())
    .max(10)
    .optional()
    .meta({ description: 'Pictures and their times, on models that take them.' }),
  consents: Consents.optional().meta({
    description: 'What the person behind the request confirmed, by the `consent_flow` of a 409 that asked for it.',
  }),
})
export type VideoQueueRequest = z.output<typeof VideoQueueRequest>

/** Body of `POST /video/transcriptions`. Closed. */
export const VideoTranscriptionRequest = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be the http(s) address of a video or of its page' })
    .max(MAX_SENT_URL_CHARS)
    .meta({ description: 'A film or a recording, or a page that names one.' }),
  response_format: z.enum(['json', 'text']).default('json').meta({ description: 'JSON or plain text.' }),
})
export type VideoTranscriptionRequest = z.output<typeof VideoTranscriptionRequest>

export const VideoQueueResponse = z.strictObject({
  model: z.string().meta({ description: 'The model.' }),
  queue_id: z.uuid().meta({ description: 'The job: ask after it with this.' }),
  download_url: z.url().optional().meta({
    description: 'Where the film is fetched for 24 hours, without credentials; `retrieve` then answers JSON only.',
  }),
})

/** Body of a 409 of `POST /video/queue`. Source: API contract, README 7.1, E7. */
export const ConsentNeeded = z.strictObject({
  error: z
    .strictObject({ code: z.literal('needs_consent'), message: z.string().meta({ description: 'The same in words.' }) })
    .meta({ description: 'What is missing.' }),
  consent_flow: z.string().meta({ description: 'The name under which `consents` confirms it.' }),
  face_media_roles: z.array(z.enum(MEDIA_ROLES)).meta({ description: 'What of the request may show people.' }),
  consent: z
    .strictObject({
      consent_version: z.string().meta({ description: 'Its version.' }),
      policy_text: z.string().meta({ description: 'Its text.' }),
    })
    .meta({ description: 'What is to be shown to whoever confirms.' }),
  docs_url: z.string().meta({ description: 'Where it stands at length.' }),
})
export type ConsentNeeded = z.output<typeof ConsentNeeded>

export const VideoTranscriptionResponse = z.strictObject({
  transcript: z.string().meta({ description: 'What is said.' }),
  lang: z.string().optional().meta({ description: 'The language, where it is known.' }),
})

export type VideoQueueResponse = z.output<typeof VideoQueueResponse>
export type VideoTranscriptionResponse = z.output<typeof VideoTranscriptionResponse>

/** Body of a 422 of `POST /video/retrieve`. Source: API contract, README 7.1, E5. */
export const ProviderPolicyError = z.object({
  error: z
    .object({
      message: z.string().meta({ description: 'For people: what is wrong, and what to do about it.' }),
      type: z.literal('provider_content_policy'),
      recommended_model: z.string().optional().meta({ description: 'A model that may take it.' }),
      credits_refunded: z.boolean().meta({ description: 'Whether what was set aside is back.' }),
    })
    .meta({ description: 'Why the model refused.' }),
})
