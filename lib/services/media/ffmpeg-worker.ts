/**
 * Entry of the process that reads sound and film with ffmpeg. Node runs it as it stands: only packages, types and
 * `./x.ts` may be imported.
 */

import { MAX_AUDIO_SECONDS, MAX_VIDEO_SECONDS } from '../../contract/limits.ts'
import { ffmpeg } from './ffmpeg-program.ts'
import { type FfmpegResult, type FfmpegTask, SOUND_RATE } from './ffmpeg-task.ts'
import { MediaError } from './media-error.ts'
import { serveDecoder } from './serve-decoder.ts'
import { filmOf } from './video-encoder.ts'

/** Below the server's own deadline, so that the answer says what was wrong. */
const SOUND_TIMEOUT_MS = 50_000

serveDecoder<FfmpegTask, FfmpegResult>('recording', async (task) => {
  if (task.type === 'sound') {
    const sound = await soundOf(task, MAX_AUDIO_SECONDS)
    if (sound.length === 0) throw new MediaError('corrupt', 'The audio could not be decoded: it is damaged or empty.')
    return { seconds: secondsOf(sound), frames: [], sound }
  }
  const film = await filmOf(task, task.frames)
  if (!task.hasSound || !film.hasSound) return film
  const sound = await soundOf(task, MAX_VIDEO_SECONDS)
  return sound.length > 0 ? { ...film, sound } : film
})

/** One second more than allowed is read, so that too long a file shows. */
async function soundOf(input: { bytes: Uint8Array; demuxer: string }, maxSeconds: number): Promise<Uint8Array> {
  const bytes = (maxSeconds + 1) * SOUND_RATE * 2
  const { output } = await ffmpeg(input, {
    after: [
      ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-ac', '1', '-ar', String(SOUND_RATE)],
      ...['-t', String(maxSeconds + 1), '-fs', String(bytes), '-f', 's16le'],
    ],
    timeoutMs: SOUND_TIMEOUT_MS,
  })
  return output
}

const secondsOf = (sound: Uint8Array): number => sound.length / 2 / SOUND_RATE
