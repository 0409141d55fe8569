import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'
import { type ChildEnd, ProcessPool, type ProcessPoolOptions } from '@/lib/kernel/process-pool/pool'
import { MediaError, type MediaFailure } from '@/lib/services/media/media-error'
import type { FfmpegResult, FfmpegTask, SlideshowResult, SlideshowTask } from '@/lib/services/media/media-tasks'

export type DecoderPool<Task extends object, Result> = ProcessPool<Task, Result, MediaFailure>

export type DecoderPoolOptions = Omit<ProcessPoolOptions<object, MediaFailure>, 'name' | 'deadlineMsOf' | 'errors'> & {
  noun: string
  deadlineMs: number
}

/**
 * Creates processes that decode pictures, audio or video. A task fails with a MediaError: the reason its process gives;
 * `timeout`; `too-large` when it needs too much memory; `corrupt` when it broke its decoder; `busy` at once when the
 * queue is full; `unavailable` when the process was ended otherwise.
 */
export function createDecoderPool<Task extends object, Result>(options: DecoderPoolOptions): DecoderPool<Task, Result> {
  const { noun, deadlineMs, ...others } = options
  return new ProcessPool<Task, Result, MediaFailure>({
    ...others,
    name: noun,
    deadlineMsOf: () => deadlineMs,
    errors: {
      refused: ({ reason, message, detail }) =>
        new MediaError(reason, message, detail === undefined ? {} : { cause: new Error(detail) }),
      unanswered: (end, cause) => unanswered(end, { noun, deadlineMs, cause }),
    },
  })
}

function unanswered(end: ChildEnd, about: { noun: string; deadlineMs: number; cause?: Error }): MediaError {
  const { noun, deadlineMs, cause } = about
  const options = cause && { cause }
  switch (end) {
    case 'busy':
      return new MediaError('busy', `Too many ${noun} files are being read at the moment. Try again in a few seconds.`)
    case 'timeout': {
      const seconds = Math.round(deadlineMs / 1000)
      return new MediaError('timeout', `Decoding the ${noun} took longer than ${seconds} seconds. Send a smaller one.`)
    }
    case 'memory': {
      const message = `Decoding the ${noun} needs more memory than is allowed. Send a smaller one.`
      return new MediaError('too-large', message, options)
    }
    case 'crash':
      return new MediaError('corrupt', `The ${noun} could not be decoded: it is damaged.`, options)
    default: {
      const message = `The ${noun} could not be decoded: the decoder stopped unexpectedly. Try again.`
      return new MediaError('unavailable', message, options)
    }
  }
}

export const ffmpegPool = (): DecoderPool<FfmpegTask, FfmpegResult> =>
  perProcess('ffmpeg-room', () => createFfmpegPool())

export const createFfmpegPool = (core?: string): DecoderPool<FfmpegTask, FfmpegResult> =>
  createProgramPool({ noun: 'recording', places: 2, maxQueued: 8, deadlineMs: 60_000, idleMs: 60_000 }, core)

export const slideshowPool = (): DecoderPool<SlideshowTask, SlideshowResult> =>
  perProcess('slideshow-room', () =>
    createProgramPool({ noun: 'video', places: 1, maxQueued: 8, deadlineMs: 300_000, idleMs: 20_000 }),
  )

const MAX_FFMPEG_RESIDENT_BYTES = 900_000_000

/**
 * Creates processes that run ffmpeg, an optional package compiled to WebAssembly. It has files in memory only, and no
 * sockets: its process has no WebSocket.
 *
 * @param core the package's name; another one in tests, for a server that lacks it.
 * @throws MediaError from its tasks: `busy`, `timeout`, `unavailable`.
 */
export const createProgramPool = <Task extends object, Result>(
  options: Omit<DecoderPoolOptions, 'entry' | 'args' | 'maxResidentBytes'>,
  core = '@ffmpeg/core',
): DecoderPool<Task, Result> =>
  createDecoderPool<Task, Result>({
    ...options,
    entry: 'services/media/ffmpeg-worker.ts',
    args: [core, options.noun],
    maxResidentBytes: MAX_FFMPEG_RESIDENT_BYTES,
  })
