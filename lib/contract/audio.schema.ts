import { z } from 'zod'
import { SPEECH_FORMATS } from '@/lib/contract/audio'
import { MAX_SPEECH_CHARS, MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'

/** Body of `POST /audio/speech`. Closed. Source: API contract, audio.md. */
export const SpeechRequest = z.strictObject({
  input: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_SPEECH_CHARS, `must be at most ${MAX_SPEECH_CHARS} characters; send longer text in parts`)
    .refine((text) => /[\p{L}\p{N}]/u.test(text), 'holds nothing that can be said'),
  model: z.string().min(1).max(256).optional(),
  voice: z.string().min(1).max(512).optional(),
  response_format: z.enum(SPEECH_FORMATS).optional(),
  speed: z.number().min(MIN_SPEED).max(MAX_SPEED).default(1),
  streaming: z.boolean().default(false),
  language: z.string().min(2).max(32).optional(),
  prompt: z.string().max(500).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  // Ignored: common clients send them.
  user: z.unknown().optional(),
  instructions: z.unknown().optional(),
})
export type SpeechRequest = z.output<typeof SpeechRequest>

const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

/** Fields of `POST /audio/transcriptions` beside the file; others are ignored. Source: API contract, audio.md. */
export const TranscriptionFields = z.object({
  model: z.string().min(1).max(256).optional(),
  response_format: z.enum(TRANSCRIPT_FORMATS).default('json'),
  timestamps: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/, 'must be a language code such as en')
    .optional(),
  timestamp_granularities: z.array(z.enum(['word', 'segment'])).default([]),
})
export type TranscriptionFields = z.output<typeof TranscriptionFields>

const times = { start: z.number().min(0), end: z.number().min(0) }

/** Reply of `POST /audio/transcriptions` as `json`. */
export const TranscriptionResponse = z.strictObject({
  text: z.string(),
  duration: z.number().optional(),
  usage: z.strictObject({ type: z.literal('duration'), seconds: z.int().min(0) }).optional(),
  timestamps: z
    .strictObject({
      word: z.array(z.strictObject({ word: z.string(), ...times })).optional(),
      segment: z.array(z.strictObject({ text: z.string(), ...times })).optional(),
      char: z.array(z.strictObject({ char: z.string(), ...times })).optional(),
    })
    .optional(),
})

/** A transcript as `verbose_json`, as `lib/endpoints/audio/transcription-render.ts` writes it. */
const Verbose = z.object({
  task: z.literal('transcribe'),
  language: z.string().optional(),
  duration: z.number(),
  usage: TranscriptionResponse.shape.usage,
  text: z.string(),
  segments: z.array(z.object({ id: z.int().min(0), text: z.string(), ...times })),
  words: z.array(z.object({ word: z.string(), ...times })).optional(),
})

/** A transcript as `json` or `verbose_json`. */
export const Transcription = z.union([TranscriptionResponse, Verbose])

const MAX_SECONDS = 86_400
const MAX_CHARACTERS = 10_000_000
/** Of a prompt, whatever the model takes: its own limit is checked when it is known. */
const MAX_TEXT = 1_000_000

/** A whole number, or its digits. */
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

/** Body of `POST /audio/quote`. Closed. Source: API contract, audio.md. */
export const AudioQuoteRequest = z.strictObject({
  model,
  duration_seconds: whole(MAX_SECONDS).optional(),
  character_count: z.int().min(1).max(MAX_CHARACTERS).optional(),
})
export type AudioQuoteRequest = z.output<typeof AudioQuoteRequest>

/** Body of `POST /audio/queue`. Closed; what of it a model takes is checked when the model is known. */
export const AudioQueueRequest = z.strictObject({
  model,
  prompt: z.string().min(1, 'must not be empty').max(MAX_TEXT),
  lyrics_prompt: z.string().max(MAX_TEXT).optional(),
  lyrics_optimizer: z.boolean().optional(),
  duration_seconds: whole(MAX_SECONDS).optional(),
  force_instrumental: z.boolean().optional(),
  loop: z.boolean().optional(),
  voice: z.string().min(1).max(512).optional(),
  language_code: z
    .string()
    .regex(/^[a-z]{2}$/, 'must be an ISO 639-1 code such as en')
    .optional(),
  speed: z.number().min(MIN_SPEED).max(MAX_SPEED).optional(),
})
export type AudioQueueRequest = z.output<typeof AudioQueueRequest>

/** Reply of `POST /audio/queue`. */
export const AudioQueueResponse = z.strictObject({ model: z.string(), queue_id: z.uuid(), status: z.literal('QUEUED') })
