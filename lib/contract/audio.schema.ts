import { z } from 'zod'
import { SPEECH_FORMATS } from '@/lib/contract/audio'
import { MAX_SPEECH_CHARS, MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'
import { modelName } from '@/lib/contract/models.schema'

// Source for this file: API contract, audio.md.
export const SpeechRequest = z.strictObject({
  input: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_SPEECH_CHARS, `must be at most ${MAX_SPEECH_CHARS} characters; send longer text in parts`)
    .refine((text) => /[\p{L}\p{N}]/u.test(text), 'must contain a letter or a digit')
    .describe('Text to speak.'),
  model: modelName.optional(),
  voice: z.string().min(1).max(512).optional().describe("Voice from the model's `voices`. Defaults to the first one."),
  response_format: z
    .enum(SPEECH_FORMATS)
    .optional()
    .describe(
      "Audio format from the model's `supported_formats`. Defaults to its `default_format`. `pcm` is 16-bit, mono, 24 kHz.",
    ),
  speed: z.number().min(MIN_SPEED).max(MAX_SPEED).default(1).describe('Speed of the speech.'),
  streaming: z.boolean().default(false).describe('Streams the audio as it is generated.'),
  language: z
    .string()
    .min(2)
    .max(32)
    .optional()
    .describe('Language of the text. Ignored unless the model requires it; the voice determines the language.'),
  prompt: z.string().max(500).optional().describe('Style instructions, on models that support them.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('Sampling temperature: 0 always selects the most likely token.'),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Nucleus sampling: considers only the most likely tokens with this total probability.'),
  // Ignored: common clients send them.
  user: z.unknown().optional().describe('Your identifier of the end user. Accepted and ignored.'),
  instructions: z.unknown().optional().describe('Accepted and ignored.'),
})
export type SpeechRequest = z.output<typeof SpeechRequest>

const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

export const TranscriptionFields = z.object({
  model: modelName.optional(),
  response_format: z
    .enum(TRANSCRIPT_FORMATS)
    .default('json')
    .describe('Format of the response: JSON, plain text or subtitles.'),
  timestamps: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('`true` adds timestamps to `json`.'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/, 'must be a language code such as en')
    .optional()
    .describe('Language of the audio, such as `en`. A hint.'),
  timestamp_granularities: z
    .array(z.enum(['word', 'segment']))
    .default([])
    .describe(
      'Levels of timestamps. `word` is rejected if the model does not support it. `timestamp_granularities[]` is accepted as well.',
    ),
})
export type TranscriptionFields = z.output<typeof TranscriptionFields>

const times = {
  start: z.number().min(0).describe('Start in seconds.'),
  end: z.number().min(0).describe('End in seconds.'),
}

export const TranscriptionResponse = z.strictObject({
  text: z.string().describe('Transcript.'),
  duration: z.number().optional().describe('Duration of the audio in seconds.'),
  usage: z
    .strictObject({
      type: z.literal('duration'),
      seconds: z.int().min(0).describe('Billed seconds; a started second counts in full.'),
    })
    .optional()
    .describe('Billed usage.'),
  timestamps: z
    .strictObject({
      word: z
        .array(z.strictObject({ word: z.string().describe('Word.'), ...times }))
        .optional()
        .describe('Words with timestamps, if the model supports them.'),
      segment: z
        .array(z.strictObject({ text: z.string().describe('Text of the segment.'), ...times }))
        .optional()
        .describe('Segments between two pauses.'),
      char: z
        .array(z.strictObject({ char: z.string().describe('Character.'), ...times }))
        .optional()
        .describe('Characters with timestamps, if the model supports them.'),
    })
    .optional()
    .describe('Timestamps of the transcript.'),
})

export type TranscriptionResponse = z.output<typeof TranscriptionResponse>

const Verbose = z.object({
  task: z.literal('transcribe'),
  language: z.string().optional().describe('Detected language, if the model reports it.'),
  duration: z.number().describe('Duration of the audio in seconds.'),
  usage: TranscriptionResponse.shape.usage.describe('Billed usage.'),
  text: z.string().describe('Transcript.'),
  segments: z
    .array(
      z.object({
        id: z.int().min(0).describe('Index of the segment, from 0.'),
        text: z.string().describe('Text of the segment.'),
        ...times,
      }),
    )
    .describe('Segments between two pauses.'),
  words: z
    .array(z.object({ word: z.string().describe('Word.'), ...times }))
    .optional()
    .describe('Words with timestamps, if the model supports them.'),
})

export const Transcription = z.union([TranscriptionResponse, Verbose])

const MAX_SECONDS = 86_400
const MAX_CHARACTERS = 10_000_000
// Maximum characters of a prompt before the model and its own limit are known.
const MAX_TEXT = 1_000_000

const digits = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)
const whole = (most: number) =>
  z.union([z.int(), digits]).refine((value) => value >= 1 && value <= most, `must be from 1 to ${most}`)

export const AudioQuoteRequest = z.strictObject({
  model: modelName,
  duration_seconds: whole(MAX_SECONDS).optional().describe('Requested duration, for models priced by time.'),
  character_count: z
    .int()
    .min(1)
    .max(MAX_CHARACTERS)
    .optional()
    .describe('Number of characters, for models priced by text length.'),
})
export type AudioQuoteRequest = z.output<typeof AudioQuoteRequest>

export const AudioQueueRequest = z.strictObject({
  model: modelName,
  prompt: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_TEXT)
    .describe('Text to speak, or a description of the music.'),
  lyrics_prompt: z.string().max(MAX_TEXT).optional().describe('Lyrics.'),
  lyrics_optimizer: z.boolean().optional().describe('Lets the model write or improve the lyrics.'),
  duration_seconds: whole(MAX_SECONDS).optional().describe('Requested duration in seconds.'),
  force_instrumental: z.boolean().optional().describe('Generates music without vocals.'),
  loop: z.boolean().optional().describe('Generates audio that loops without a break.'),
  voice: z.string().min(1).max(512).optional().describe("Voice from the model's `voices`."),
  language_code: z
    .string()
    .regex(/^[a-z]{2}$/, 'must be an ISO 639-1 code such as en')
    .optional()
    .describe('Two-letter language code, such as `en`.'),
  speed: z.number().min(MIN_SPEED).max(MAX_SPEED).optional().describe('Speed of the speech.'),
})
export type AudioQueueRequest = z.output<typeof AudioQueueRequest>

export const AudioQueueResponse = z.strictObject({
  model: z.string().describe('Model ID.'),
  queue_id: z.uuid().describe('ID of the job. Use it to retrieve the result.'),
  status: z.literal('QUEUED'),
})

export type AudioQueueResponse = z.output<typeof AudioQueueResponse>

export const VoiceForm = z.object({
  model: z
    .string()
    .optional()
    .describe('Model ID from `GET /models`, a trait such as `default`, or a name that is mapped to a model.'),
})
