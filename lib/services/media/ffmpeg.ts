import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import type { DecoderPool } from '@/lib/services/media/decoder-pool'
import { createDecoderPool, type DecoderPoolOptions } from '@/lib/services/media/decoder-pool'
import type { FfmpegResult, FfmpegTask, SlideshowResult, SlideshowTask } from '@/lib/services/media/media-tasks'

const RECORDING_POOL = {
  noun: 'recording',
  entry: 'services/media/ffmpeg-worker.ts',
  places: 2,
  maxQueued: 8,
  deadlineMs: 60_000,
  idleMs: 60_000,
}

export const ffmpegPool = (): DecoderPool<FfmpegTask, FfmpegResult> =>
  perProcess('ffmpeg-room', () => createFfmpegPool())

export const createFfmpegPool = (core?: string): DecoderPool<FfmpegTask, FfmpegResult> =>
  createProgramPool(RECORDING_POOL, core)

const MAX_RESIDENT_BYTES = 900_000_000
const PACKAGE = '@ffmpeg/core'

type Options = Omit<DecoderPoolOptions, 'args' | 'maxResidentBytes'>

/**
 * Creates processes that run ffmpeg, an optional package compiled to WebAssembly. It has files in memory only, and no
 * sockets: its process has no WebSocket.
 *
 * @param core the package's name; another one in tests, for a server that lacks it.
 * @throws MediaError from its tasks: `busy`, `timeout`, `unavailable`.
 */
export const createProgramPool = <Task extends object, Result>(
  options: Options,
  core = PACKAGE,
): DecoderPool<Task, Result> =>
  createDecoderPool<Task, Result>({ ...options, args: [core], maxResidentBytes: MAX_RESIDENT_BYTES })

const SLIDESHOW_POOL = {
  noun: 'video',
  entry: 'services/media/slideshow-worker.ts',
  places: 1,
  maxQueued: 8,
  deadlineMs: 300_000,
  idleMs: 20_000,
}

export const slideshowPool = (): DecoderPool<SlideshowTask, SlideshowResult> =>
  perProcess('slideshow-room', () => createProgramPool(SLIDESHOW_POOL))
