import 'server-only'
import { createDecoderRoom, type DecoderRoom, type DecoderRoomOptions } from '@/lib/services/media/decoder-pool'

/** The program's own memory (FFMPEG_MEMORY_BYTES), what it reads and writes, and Node. */
const MAX_RESIDENT_BYTES = 900_000_000
const PACKAGE = '@ffmpeg/core'

type Options = Omit<DecoderRoomOptions, 'args' | 'maxResidentBytes'>

/**
 * Processes that run ffmpeg, which is compiled to WebAssembly and an optional package. The program has files in memory
 * only. Its sockets are made of WebSocket, which its process does not have.
 *
 * @param core the package's name; another one in tests, for a server that lacks it.
 * @throws MediaError from its tasks: `busy`, `timeout`, `unavailable`.
 */
export const createProgramRoom = <Task extends object, Result>(
  options: Options,
  core = PACKAGE,
): DecoderRoom<Task, Result> =>
  createDecoderRoom<Task, Result>({ ...options, args: [core], maxResidentBytes: MAX_RESIDENT_BYTES })
