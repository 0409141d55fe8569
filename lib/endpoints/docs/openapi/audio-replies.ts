import { z } from 'zod'
import { TranscriptionResponse } from '@/lib/contract/transcription.schema'

const times = { start: z.number().min(0), end: z.number().min(0) }

/** A transcript as `verbose_json`, as `lib/endpoints/audio/transcription.ts` writes it. */
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
