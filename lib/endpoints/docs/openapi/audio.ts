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
import { MAX_AUDIO_SECONDS, MAX_FILE_BYTES } from '@/lib/contract/limits'
import { MODEL_ERRORS } from '@/lib/endpoints/docs/openapi/errors'
import { completeOperation, queued, quoteOperation, retrieveOperation } from '@/lib/endpoints/docs/openapi/jobs'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'

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
      body: {
        json: {
          name: 'SpeechRequest',
          schema: SpeechRequest,
          example: { input: 'High water is at nine.', model: 'default', voice: 'af_heart', response_format: 'mp3' },
        },
      },
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
          mostFiles: 1,
          example: { model: 'default', response_format: 'verbose_json', timestamp_granularities: ['segment'] },
        },
      },
      content: [
        {
          kind: 'json',
          name: 'Transcription',
          schema: Transcription,
          example: { text: 'High water is at nine.', duration: 1.84, usage: { type: 'duration', seconds: 2 } },
        },
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
          mostFiles: 1,
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
      body: {
        json: {
          name: 'AudioQueueRequest',
          schema: AudioQueueRequest,
          example: { model: 'default', prompt: 'Once upon a time there was a lagoon.' },
        },
      },
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
