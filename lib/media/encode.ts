import 'server-only'
import { perProcess } from '@/lib/core/per-process'
import { createDecoderRoom, type DecoderRoom } from '@/lib/media/decoder-room'
import type { EncodeResult, EncodeTask } from '@/lib/media/encode-task'

const PLACES = 1
const MAX_QUEUED = 16
const DEADLINE_MS = 60_000
/** The program's own memory, what it reads and writes, and Node. */
const MAX_RESIDENT_BYTES = 900_000_000
const IDLE_MS = 60_000

/**
 * The process that writes sound with ffmpeg, which is compiled to WebAssembly and an optional package.
 *
 * @throws MediaError from its tasks: `busy`, `timeout`, `unavailable`.
 */
export function encoderRoom(): DecoderRoom<EncodeTask, EncodeResult> {
  return perProcess('encoder-room', () =>
    createDecoderRoom<EncodeTask, EncodeResult>({
      noun: 'speech',
      entry: 'media/encode-worker.ts',
      args: ['@ffmpeg/core'],
      places: PLACES,
      maxQueued: MAX_QUEUED,
      deadlineMs: DEADLINE_MS,
      maxResidentBytes: MAX_RESIDENT_BYTES,
      idleMs: IDLE_MS,
    }),
  )
}
