import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import type { DecoderRoom } from '@/lib/services/media/decoder-pool'
import { createProgramRoom } from '@/lib/services/media/ffmpeg-pool'
import type { FfmpegResult, FfmpegTask } from '@/lib/services/media/ffmpeg-task'

const OPTIONS = {
  noun: 'recording',
  entry: 'services/media/ffmpeg-worker.ts',
  places: 2,
  maxQueued: 8,
  deadlineMs: 60_000,
  idleMs: 60_000,
}

/** The processes that read sound and film. */
export const ffmpegRoom = (): DecoderRoom<FfmpegTask, FfmpegResult> =>
  perProcess('ffmpeg-room', () => createFfmpegRoom())

/** @param core the package's name; another one in tests, for a server that lacks it. */
export const createFfmpegRoom = (core?: string): DecoderRoom<FfmpegTask, FfmpegResult> =>
  createProgramRoom(OPTIONS, core)
