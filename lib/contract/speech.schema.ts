import { z } from 'zod'
import { MAX_SPEECH_CHARS, MAX_SPEED, MIN_SPEED } from '@/lib/contract/limits'
import { SPEECH_FORMATS } from '@/lib/contract/speech-types'

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
