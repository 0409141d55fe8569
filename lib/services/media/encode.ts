import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import type { DecoderRoom } from '@/lib/services/media/decoder-pool'
import type { EncodeResult, EncodeTask } from '@/lib/services/media/encode-task'
import { createProgramRoom } from '@/lib/services/media/ffmpeg-pool'

const OPTIONS = {
  noun: 'speech',
  entry: 'services/media/encode-worker.ts',
  places: 1,
  maxQueued: 16,
  deadlineMs: 60_000,
  idleMs: 60_000,
}

/** The process that writes sound. */
export const encoderRoom = (): DecoderRoom<EncodeTask, EncodeResult> =>
  perProcess('encoder-room', () => createProgramRoom(OPTIONS))
