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
  description: 'Films, which take a while to make, and what films say.',
  operations: {
    'POST /video/quote': quoteOperation('quoteVideo', 'Ask what a film would cost', {
      name: 'VideoQuoteRequest',
      schema: VideoQuoteRequest,
      example: { model: MODEL, duration: '5s', resolution: '480p', aspect_ratio: '16:9' },
    }),
    'POST /video/queue': {
      id: 'queueVideo',
      summary: 'Have a film made',
      description: 'Its price is set aside now, and given back if nothing comes of it.',
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
    'POST /video/retrieve': retrieveOperation('retrieveVideo', 'Ask for a film', {
      types: ['video/mp4'],
      progress: { name: 'VideoProgress', schema: VideoProgress },
      refusals: [POLICY_ERROR],
    }),
    'POST /video/complete': completeOperation('completeVideo', 'Let go of a film'),
    'POST /video/transcriptions': {
      id: 'createVideoTranscription',
      summary: 'Write down what a film says',
      description: 'The address of a video file, or of a page that shows one; captions of the page are free.',
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
