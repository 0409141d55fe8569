import 'server-only'
import { perProcess } from '@/lib/core/per-process'
import { createDecoderRoom, type DecoderRoom } from '@/lib/media/decoder-room'
import type { SlideshowResult, SlideshowTask } from '@/lib/media/slideshow-task'

const PLACES = 1
const MAX_QUEUED = 8
const DEADLINE_MS = 300_000
/** The program's own memory, what it reads and writes, and Node. */
const MAX_RESIDENT_BYTES = 900_000_000
const IDLE_MS = 20_000

/**
 * The process that makes films of pictures with ffmpeg, which is compiled to WebAssembly and an optional package.
 *
 * @throws MediaError from its tasks: `busy`, `timeout`, `unavailable`.
 */
export function slideshowRoom(): DecoderRoom<SlideshowTask, SlideshowResult> {
  return perProcess('slideshow-room', () =>
    createDecoderRoom<SlideshowTask, SlideshowResult>({
      noun: 'film',
      entry: 'media/slideshow-worker.ts',
      args: ['@ffmpeg/core'],
      places: PLACES,
      maxQueued: MAX_QUEUED,
      deadlineMs: DEADLINE_MS,
      maxResidentBytes: MAX_RESIDENT_BYTES,
      idleMs: IDLE_MS,
    }),
  )
}
