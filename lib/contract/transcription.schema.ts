import { z } from 'zod'

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
