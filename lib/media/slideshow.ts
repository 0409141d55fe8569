import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import type { DecoderRoom } from '@/lib/media/decoder-room'
import { createProgramRoom } from '@/lib/media/ffmpeg-room'
import type { SlideshowResult, SlideshowTask } from '@/lib/media/slideshow-task'

const OPTIONS = {
  noun: 'film',
  entry: 'media/slideshow-worker.ts',
  places: 1,
  maxQueued: 8,
  deadlineMs: 300_000,
  idleMs: 20_000,
}

/** The process that makes films of pictures. */
export const slideshowRoom = (): DecoderRoom<SlideshowTask, SlideshowResult> =>
  perProcess('slideshow-room', () => createProgramRoom(OPTIONS))
