import { SPEECH_TYPES } from '@/lib/contract/audio'
import {
  AudioQueueRequest,
  AudioQueueResponse,
  AudioQuoteRequest,
  SpeechRequest,
  Transcription,
  TranscriptionFields,
  VoiceForm,
} from '@/lib/contract/audio.schema'
import type { ErrorCode } from '@/lib/contract/errors'
import {
  CompleteRequest,
  CompleteResponse,
  ProgressResponse,
  QuoteResponse,
  RetrieveRequest,
  VideoProgress,
} from '@/lib/contract/jobs.schema'
import { MAX_AUDIO_SECONDS, MAX_FILE_BYTES } from '@/lib/contract/limits'
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
import {
  type Content,
  type Group,
  type HeaderFamily,
  type JsonBody,
  jsonBody,
  jsonContent,
  type NamedSchema,
  type Operation,
} from '@/lib/endpoints/docs/openapi/operation'

const QUEUE_ID = '5b1f4b8e-6f0a-4a0e-9d0b-3c1f5d2a7e11'

const JOB_ERRORS: ErrorCode[] = ['REQUEST_ID_NOT_FOUND', 'MODEL_NOT_FOUND', 'INVALID_MODEL']

const quoteOperation = (id: string, summary: string, json: JsonBody): Operation => ({
  id,
  summary,
  access: 'none',
  body: { json },
  content: [jsonContent('JobQuote', QuoteResponse, { quote: 0.25 })],
  sends: ['model'],
  errors: ['INVALID_MODEL', 'MODEL_NOT_FOUND', 'REGION_RESTRICTED', 'MODEL_RETIRED', 'MODEL_OFFLINE'],
})

const JOB_PROGRESS: NamedSchema = { name: 'JobProgress', schema: ProgressResponse }

const retrieveOperation = (
  id: string,
  summary: string,
  {
    types,
    sends = [],
    progress = JOB_PROGRESS,
    refusals,
  }: { types: readonly string[]; sends?: readonly HeaderFamily[]; progress?: NamedSchema; refusals?: NamedSchema[] },
): Operation => ({
  id,
  summary,
  description:
    'Returns JSON while the job is queued or running, then the file, for 24 hours. `delete_media_on_completion` deletes the file after the download. Free.',
  access: 'paid',
  body: jsonBody('JobRetrieveRequest', RetrieveRequest, { queue_id: QUEUE_ID }),
  content: [
    jsonContent(progress.name, progress.schema, {
      status: 'PROCESSING',
      average_execution_time: 30_000,
      execution_duration: 1_200,
    }),
    { kind: 'bytes', types },
  ],
  sends: ['model', ...sends],
  errors: [
    ...JOB_ERRORS,
    'MEDIA_NOT_FOUND',
    'CONTENT_POLICY_VIOLATION',
    'INFERENCE_FAILED',
    'UPSTREAM_FAILED',
    'MODEL_OVERLOADED',
    'MODEL_AT_CAPACITY',
    'MODEL_OFFLINE',
    'REQUEST_TIMEOUT',
  ],
  ...(refusals && { errorSchemas: { 422: refusals } }),
})

const completeOperation = (id: string, summary: string): Operation => ({
  id,
  summary,
  description:
    'Deletes the result of a job. A job that has not finished is cancelled and refunded. Repeated requests have no effect.',
  access: 'paid',
  body: jsonBody('JobCompleteRequest', CompleteRequest, { queue_id: QUEUE_ID }),
  content: [jsonContent('JobCompleted', CompleteResponse, { success: true })],
  sends: ['model'],
  errors: JOB_ERRORS,
})

const queued = (name: string, schema: NamedSchema['schema'], example: object): Content =>
  jsonContent(name, schema, { ...example, queue_id: QUEUE_ID })

const LONG_SPEECH = 'tiny-voice-long'
export const AUDIO: Group = {
  tag: 'Audio',
  description: 'Text to speech, transcription, and queued generation of long audio and music.',
  operations: {
    'POST /audio/speech': {
      id: 'createSpeech',
      summary: 'Generate speech',
      description: 'Returns a file, or an audio stream with `"streaming": true`.',
      access: 'paid',
      body: jsonBody('SpeechRequest', SpeechRequest, {
        input: 'High water is at nine.',
        model: 'default',
        voice: 'af_heart',
        response_format: 'mp3',
      }),
      content: [{ kind: 'bytes', types: Object.values(SPEECH_TYPES) }],
      sends: ['model'],
      errors: MODEL_ERRORS,
    },
    'POST /audio/transcriptions': {
      id: 'createTranscription',
      summary: 'Transcribe audio',
      access: 'paid',
      body: {
        form: {
          name: 'TranscriptionForm',
          schema: TranscriptionFields,
          file: 'file',
          fileDescription: `Audio file in wav, flac, m4a, aac, mp4, mp3, ogg or webm format, up to ${MAX_FILE_BYTES / 1e6} MB and ${MAX_AUDIO_SECONDS / 60} minutes.`,
          example: { model: 'default', response_format: 'verbose_json', timestamp_granularities: ['segment'] },
        },
      },
      content: [
        jsonContent('Transcription', Transcription, {
          text: 'High water is at nine.',
          duration: 1.84,
          usage: { type: 'duration', seconds: 2 },
        }),
        { kind: 'text', type: 'text/plain', example: 'High water is at nine.' },
        {
          kind: 'text',
          type: 'text/vtt',
          example: 'WEBVTT\n\n00:00:00.000 --> 00:00:01.840\nHigh water is at nine.\n',
        },
      ],
      sends: ['model'],
      errors: [...MODEL_ERRORS, 'INVALID_AUDIO_FORMAT', 'ASR_UPSTREAM_VALIDATION_FAILED', 'ASR_UPSTREAM_FAILED'],
    },
    'POST /audio/voices': {
      id: 'createVoice',
      summary: 'Clone a voice',
      description: 'No model of this service supports voice cloning: valid requests return 403.',
      access: 'paid',
      body: {
        form: {
          name: 'VoiceForm',
          schema: VoiceForm,
          file: 'file',
          fileDescription: 'Voice sample.',
          example: { model: 'default' },
        },
      },
      content: [],
      errors: [...MODEL_ERRORS, 'INVALID_AUDIO_FORMAT', 'UNAUTHORIZED'],
    },
    'POST /audio/quote': quoteOperation('quoteAudio', 'Get the price of an audio generation', {
      name: 'AudioQuoteRequest',
      schema: AudioQuoteRequest,
      example: { model: 'default', character_count: 12_000 },
    }),
    'POST /audio/queue': {
      id: 'queueAudio',
      summary: 'Queue an audio generation',
      description: 'The price is reserved now and refunded if the job fails.',
      access: 'paid',
      body: jsonBody('AudioQueueRequest', AudioQueueRequest, {
        model: 'default',
        prompt: 'Once upon a time there was a lagoon.',
      }),
      content: [queued('AudioQueued', AudioQueueResponse, { model: LONG_SPEECH, status: 'QUEUED' })],
      sends: ['model'],
      errors: MODEL_ERRORS,
    },
    'POST /audio/retrieve': retrieveOperation('retrieveAudio', 'Retrieve an audio generation', {
      types: ['audio/mpeg', 'audio/wav', 'audio/flac'],
      sends: ['audio'],
    }),
    'POST /audio/complete': completeOperation('completeAudio', 'Complete an audio generation'),
  },
}

const VIDEO_MODEL = 'picture-film'

const POLICY_ERROR: NamedSchema = { name: 'ProviderPolicyError', schema: ProviderPolicyError }

const CONSENT: NamedSchema = { name: 'ConsentNeeded', schema: ConsentNeeded }

export const VIDEO: Group = {
  tag: 'Video',
  description: 'Queued generation of video, and video transcription.',
  operations: {
    'POST /video/quote': quoteOperation('quoteVideo', 'Get the price of a video generation', {
      name: 'VideoQuoteRequest',
      schema: VideoQuoteRequest,
      example: { model: VIDEO_MODEL, duration: '5s', resolution: '480p', aspect_ratio: '16:9' },
    }),
    'POST /video/queue': {
      id: 'queueVideo',
      summary: 'Queue a video generation',
      description: 'The price is reserved now and refunded if the job fails.',
      access: 'paid',
      body: jsonBody('VideoQueueRequest', VideoQueueRequest, {
        model: VIDEO_MODEL,
        duration: '5s',
        resolution: '480p',
        aspect_ratio: '16:9',
        prompt: 'The tide comes in',
        image_url: `data:image/png;base64,${PICTURE}`,
      }),
      content: [queued('VideoQueued', VideoQueueResponse, { model: VIDEO_MODEL })],
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
      body: jsonBody('VideoTranscriptionRequest', VideoTranscriptionRequest, {
        url: 'https://films.example/tides.mp4',
      }),
      content: [
        jsonContent('VideoTranscription', VideoTranscriptionResponse, {
          transcript: 'High water is at nine.',
          lang: 'en',
        }),
        { kind: 'text', type: 'text/plain', example: 'High water is at nine.' },
      ],
      sends: ['model', 'compressed'],
      errors: MODEL_ERRORS,
    },
  },
}
