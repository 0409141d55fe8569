import { z } from 'zod'
import { SPEECH_FORMATS } from '@/lib/contract/audio'
import { MAX_SPEECH_CHARS, MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'

/** Body of `POST /audio/speech`. Closed. Source: API contract, audio.md, as for all below. */
export const SpeechRequest = z.strictObject({
  input: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_SPEECH_CHARS, `must be at most ${MAX_SPEECH_CHARS} characters; send longer text in parts`)
    .refine((text) => /[\p{L}\p{N}]/u.test(text), 'holds nothing that can be said')
    .meta({ description: 'What is said.' }),
  model: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.' }),
  voice: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .meta({ description: "One of the model's `voices`; the first of them where it is missing." }),
  response_format: z.enum(SPEECH_FORMATS).optional().meta({
    description:
      "One of the model's `supported_formats`; its `default_format` where it is missing. `pcm` is 16 bits, one channel, 24 kHz.",
  }),
  speed: z.number().min(MIN_SPEED).max(MAX_SPEED).default(1).meta({ description: 'How fast it is said.' }),
  streaming: z.boolean().default(false).meta({ description: 'Sends the sound as it is made.' }),
  language: z
    .string()
    .min(2)
    .max(32)
    .optional()
    .meta({ description: 'Taken; the voice decides, where the model does not ask for it.' }),
  prompt: z.string().max(500).optional().meta({ description: 'How to say it, for models that listen to that.' }),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .meta({ description: 'How freely the model chooses: 0 always takes what is likeliest.' }),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({ description: 'Chooses among the likeliest tokens that together have this probability.' }),
  // Ignored: common clients send them.
  user: z.unknown().optional().meta({ description: 'Whom you ask for, as you call them. Taken, and goes no further.' }),
  instructions: z.unknown().optional().meta({ description: 'Taken; goes no further.' }),
})
export type SpeechRequest = z.output<typeof SpeechRequest>

const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

/** Form of `POST /audio/transcriptions` without its file; other fields are ignored. */
export const TranscriptionFields = z.object({
  model: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.' }),
  response_format: z.enum(TRANSCRIPT_FORMATS).default('json').meta({ description: 'JSON, plain text, or subtitles.' }),
  timestamps: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .meta({ description: '`true` adds times to `json`.' }),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/, 'must be a language code such as en')
    .optional()
    .meta({ description: 'Which language is spoken, such as `en`. A hint.' }),
  timestamp_granularities: z
    .array(z.enum(['word', 'segment']))
    .default([])
    .meta({
      description:
        'Of what times are told. `word` is refused where the model gives none. Also written `timestamp_granularities[]`.',
    }),
})
export type TranscriptionFields = z.output<typeof TranscriptionFields>

const times = {
  start: z.number().min(0).meta({ description: 'Seconds from the beginning.' }),
  end: z.number().min(0).meta({ description: 'Seconds from the beginning.' }),
}

export const TranscriptionResponse = z.strictObject({
  text: z.string().meta({ description: 'What was said.' }),
  duration: z.number().optional().meta({ description: 'How long the recording is, in seconds.' }),
  usage: z
    .strictObject({
      type: z.literal('duration'),
      seconds: z.int().min(0).meta({ description: 'Seconds that are charged: each one that began.' }),
    })
    .optional()
    .meta({ description: 'What is charged.' }),
  timestamps: z
    .strictObject({
      word: z
        .array(z.strictObject({ word: z.string().meta({ description: 'The word.' }), ...times }))
        .optional()
        .meta({ description: 'Words, where the model times them.' }),
      segment: z
        .array(z.strictObject({ text: z.string().meta({ description: 'The words.' }), ...times }))
        .optional()
        .meta({ description: 'What is said between two pauses.' }),
      char: z
        .array(z.strictObject({ char: z.string().meta({ description: 'The letter.' }), ...times }))
        .optional()
        .meta({ description: 'Letters, where the model times them.' }),
    })
    .optional()
    .meta({ description: 'When it was said.' }),
})

export type TranscriptionResponse = z.output<typeof TranscriptionResponse>

const Verbose = z.object({
  task: z.literal('transcribe'),
  language: z.string().optional().meta({ description: 'The language that was heard, where the model tells it.' }),
  duration: z.number().meta({ description: 'How long the recording is, in seconds.' }),
  usage: TranscriptionResponse.shape.usage.meta({ description: 'What is charged.' }),
  text: z.string().meta({ description: 'What was said.' }),
  segments: z
    .array(
      z.object({
        id: z.int().min(0).meta({ description: 'Its place, from 0.' }),
        text: z.string().meta({ description: 'The words.' }),
        ...times,
      }),
    )
    .meta({ description: 'What is said between two pauses.' }),
  words: z
    .array(z.object({ word: z.string().meta({ description: 'The word.' }), ...times }))
    .optional()
    .meta({ description: 'Words, where the model times them.' }),
})

export const Transcription = z.union([TranscriptionResponse, Verbose])

const MAX_SECONDS = 86_400
const MAX_CHARACTERS = 10_000_000
/** Characters of a prompt before the model and its own limit are known. */
const MAX_TEXT = 1_000_000

const whole = (most: number) =>
  z
    .union([
      z.int(),
      z
        .string()
        .regex(/^\d{1,9}$/, 'must be a whole number')
        .transform(Number),
    ])
    .refine((value) => value >= 1 && value <= most, `must be from 1 to ${most}`)

const model = z.string().min(1).max(256)

/** Body of `POST /audio/quote`. Closed. */
export const AudioQuoteRequest = z.strictObject({
  model: model.meta({
    description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.',
  }),
  duration_seconds: whole(MAX_SECONDS)
    .optional()
    .meta({ description: 'How long it is to be, for models that are priced by time.' }),
  character_count: z
    .int()
    .min(1)
    .max(MAX_CHARACTERS)
    .optional()
    .meta({ description: 'How long the text is, for models that are priced by it.' }),
})
export type AudioQuoteRequest = z.output<typeof AudioQuoteRequest>

/** Body of `POST /audio/queue`. Closed; what the model does not take is checked when it is known. */
export const AudioQueueRequest = z.strictObject({
  model: model.meta({
    description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.',
  }),
  prompt: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_TEXT)
    .meta({ description: 'What to say, or what the music is like.' }),
  lyrics_prompt: z.string().max(MAX_TEXT).optional().meta({ description: 'What is sung.' }),
  lyrics_optimizer: z.boolean().optional().meta({ description: 'Has the model write or mend what is sung.' }),
  duration_seconds: whole(MAX_SECONDS).optional().meta({ description: 'How long it is to be.' }),
  force_instrumental: z.boolean().optional().meta({ description: 'No vocals.' }),
  loop: z.boolean().optional().meta({ description: 'The end leads into the beginning.' }),
  voice: z.string().min(1).max(512).optional().meta({ description: "One of the model's `voices`." }),
  language_code: z
    .string()
    .regex(/^[a-z]{2}$/, 'must be an ISO 639-1 code such as en')
    .optional()
    .meta({ description: 'Of two letters, such as `en`.' }),
  speed: z.number().min(MIN_SPEED).max(MAX_SPEED).optional().meta({ description: 'How fast it is said.' }),
})
export type AudioQueueRequest = z.output<typeof AudioQueueRequest>

export const AudioQueueResponse = z.strictObject({
  model: z.string().meta({ description: 'The model.' }),
  queue_id: z.uuid().meta({ description: 'The job: ask after it with this.' }),
  status: z.literal('QUEUED'),
})

export type AudioQueueResponse = z.output<typeof AudioQueueResponse>

export const VoiceForm = z.object({
  model: z
    .string()
    .optional()
    .meta({ description: 'An id of `GET /models`, a trait such as `default`, or a name that is mapped to one.' }),
})
