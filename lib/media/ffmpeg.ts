import 'server-only'
import { perProcess } from '@/lib/core/per-process'
import { createDecoderRoom, type DecoderRoom } from '@/lib/media/decoder-room'
import type { FfmpegResult, FfmpegTask } from '@/lib/media/ffmpeg-task'

const PLACES = 2
const MAX_QUEUED = 8
const DEADLINE_MS = 60_000
/** The program's own memory (FFMPEG_MEMORY_BYTES), a file and its sound, and Node. */
const MAX_RESIDENT_BYTES = 900_000_000
const IDLE_MS = 60_000
const PACKAGE = '@ffmpeg/core'

/** The processes that run ffmpeg, which is compiled to WebAssembly and an optional package. */
export function ffmpegRoom(): DecoderRoom<FfmpegTask, FfmpegResult> {
  return perProcess('ffmpeg-room', () => createFfmpegRoom())
}

/**
 * The program has files in memory only. Its sockets are made of WebSocket, which its process does not have.
 *
 * @param core the package's name; another one in tests, for a server that lacks it.
 */
export function createFfmpegRoom(core = PACKAGE): DecoderRoom<FfmpegTask, FfmpegResult> {
  return createDecoderRoom<FfmpegTask, FfmpegResult>({
    noun: 'recording',
    entry: 'media/ffmpeg-worker.ts',
    args: [core],
    places: PLACES,
    maxQueued: MAX_QUEUED,
    deadlineMs: DEADLINE_MS,
    maxResidentBytes: MAX_RESIDENT_BYTES,
    idleMs: IDLE_MS,
  })
}
