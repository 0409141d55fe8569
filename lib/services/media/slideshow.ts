import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import type { DecoderRoom } from '@/lib/services/media/decoder-pool'
import { createProgramRoom } from '@/lib/services/media/ffmpeg-pool'
import type { SlideshowResult, SlideshowTask } from '@/lib/services/media/slideshow-task'

const OPTIONS = {
  noun: 'film',
  entry: 'services/media/slideshow-worker.ts',
  places: 1,
  maxQueued: 8,
  deadlineMs: 300_000,
  idleMs: 20_000,
}

/** The process that makes films of pictures. */
export const slideshowRoom = (): DecoderRoom<SlideshowTask, SlideshowResult> =>
  perProcess('slideshow-room', () => createProgramRoom(OPTIONS))
