import { z } from 'zod'
import { MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'

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
