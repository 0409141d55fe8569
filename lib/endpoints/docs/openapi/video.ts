import { VideoProgress } from '@/lib/contract/jobs.schema'
import {
  ConsentNeeded,
  ProviderPolicyError,
  VideoQueueRequest,
  VideoQueueResponse,
  VideoQuoteRequest,
  VideoTranscriptionRequest,
  VideoTranscriptionResponse,
} from '@/lib/contract/video.schema'
import { MODEL_ERRORS } from '@/lib/endpoints/docs/openapi/errors'
import { PICTURE } from '@/lib/endpoints/docs/openapi/images'
import { completeOperation, queued, quoteOperation, retrieveOperation } from '@/lib/endpoints/docs/openapi/jobs'
import type { Group, NamedSchema } from '@/lib/endpoints/docs/openapi/operation'

const MODEL = 'picture-film'

const POLICY_ERROR: NamedSchema = { name: 'ProviderPolicyError', schema: ProviderPolicyError }

const CONSENT: NamedSchema = { name: 'ConsentNeeded', schema: ConsentNeeded }

export const VIDEO: Group = {
  tag: 'Video',
  description: 'Queued generation of video, and video transcription.',
  operations: {
    'POST /video/quote': quoteOperation('quoteVideo', 'Get the price of a video generation', {
      name: 'VideoQuoteRequest',
      schema: VideoQuoteRequest,
      example: { model: MODEL, duration: '5s', resolution: '480p', aspect_ratio: '16:9' },
    }),
    'POST /video/queue': {
      id: 'queueVideo',
      summary: 'Queue a video generation',
      description: 'The price is reserved now and refunded if the job fails.',
      access: 'paid',
      body: {
        json: {
          name: 'VideoQueueRequest',
          schema: VideoQueueRequest,
          example: {
            model: MODEL,
            duration: '5s',
            resolution: '480p',
            aspect_ratio: '16:9',
            prompt: 'The tide comes in',
            image_url: `data:image/png;base64,${PICTURE}`,
          },
        },
      },
      content: [queued('VideoQueued', VideoQueueResponse, { model: MODEL })],
      sends: ['model'],
      errors: [...MODEL_ERRORS, 'needs_consent'],
      errorSchemas: { 409: [CONSENT] },
    },
    'POST /video/retrieve': retrieveOperation('retrieveVideo', 'Retrieve a video generation', {
      types: ['video/mp4'],
      progress: { name: 'VideoProgress', schema: VideoProgress },
      refusals: [POLICY_ERROR],
    }),
    'POST /video/complete': completeOperation('completeVideo', 'Complete a video generation'),
    'POST /video/transcriptions': {
      id: 'createVideoTranscription',
      summary: 'Transcribe a video',
      description: 'Accepts the URL of a video file, or of a page with a video. Captions of the page are free.',
      access: 'paid',
      body: {
        json: {
          name: 'VideoTranscriptionRequest',
          schema: VideoTranscriptionRequest,
          example: { url: 'https://films.example/tides.mp4' },
        },
      },
      content: [
        {
          kind: 'json',
          name: 'VideoTranscription',
          schema: VideoTranscriptionResponse,
          example: { transcript: 'High water is at nine.', lang: 'en' },
        },
        { kind: 'text', type: 'text/plain', example: 'High water is at nine.' },
      ],
      sends: ['model', 'compressed'],
      errors: MODEL_ERRORS,
    },
  },
}
