/**
 * Entry of the process that encodes audio with ffmpeg. Node runs it as it stands: only packages, types and `./x.ts` may
 * be imported.
 */

import { ffmpeg } from './ffmpeg-program.ts'
import { MediaError } from './media-error.ts'
import type { EncodeResult, EncodeTask } from './media-tasks.ts'
import { serveDecoder } from './serve-decoder.ts'

const TIMEOUT_MS = 50_000

const CODECS: Record<EncodeTask['format'], string[]> = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '64k'],
  opus: ['-c:a', 'libopus', '-b:a', '32k', '-frame_duration', '20', '-application', 'voip', '-f', 'ogg'],
  aac: ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
}

/** A file's own head says how long it is; a part of a stream must have none. */
const mp3Head = (isPart: boolean) => ['-id3v2_version', '0', '-write_xing', isPart ? '0' : '1', '-f', 'mp3']

serveDecoder<EncodeTask, EncodeResult>('speech', async ({ bytes, rate, format, isPart }) => {
  const { output, log } = await ffmpeg(
    { bytes, demuxer: 's16le' },
    {
      before: ['-ar', String(rate), '-ac', '1'],
      after: ['-map_metadata', '-1', ...CODECS[format], ...(format === 'mp3' ? mp3Head(isPart) : [])],
      timeoutMs: TIMEOUT_MS,
    },
  )
  if (output.length > 0) return { bytes: output }
  throw new MediaError('unavailable', 'The speech could not be written in this format.', { cause: new Error(log) })
})
