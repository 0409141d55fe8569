import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import type { DecoderRoom } from '@/lib/media/decoder-room'
import type { EncodeResult, EncodeTask } from '@/lib/media/encode-task'
import { createProgramRoom } from '@/lib/media/ffmpeg-room'

const OPTIONS = {
  noun: 'speech',
  entry: 'media/encode-worker.ts',
  places: 1,
  maxQueued: 16,
  deadlineMs: 60_000,
  idleMs: 60_000,
}

/** The process that writes sound. */
export const encoderRoom = (): DecoderRoom<EncodeTask, EncodeResult> =>
  perProcess('encoder-room', () => createProgramRoom(OPTIONS))
