import 'server-only'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { audioOf, type DecodedAudio } from '@/lib/services/media/audio'
import { ffmpegPool } from '@/lib/services/media/decoder-pool'
import { imageOfPixels, type PreparedImage } from '@/lib/services/media/image'
import { MediaError } from '@/lib/services/media/media-error'
import { MAX_FRAMES } from '@/lib/services/media/media-tasks'
import { videoKind } from '@/lib/services/media/sniff'

export type Video = {
  seconds: number
  mime: string
  frames: { atSeconds: number; image: PreparedImage }[]
  sound?: DecodedAudio
}

export async function sniffVideo(bytes: Uint8Array): Promise<string | undefined> {
  return videoKind(bytes)?.mime
}

/**
 * Takes pictures of a video (at most 32, evenly spread, at most 1,024 pixels long) and its audio, where it has one and
 * it is asked for. Where single pictures would take too long, the nearest key frames before are taken, or fewer.
 *
 * @throws MediaError `unsupported` for other containers than MP4, MPEG, QuickTime and WebM, `corrupt` without pictures,
 *   `too-long` (over 10 minutes), `too-large` (over 25 MB or 4K), `unavailable` where ffmpeg is not installed, and
 *   those of a DecoderPool.
 */
export async function readVideo(
  bytes: Uint8Array,
  { frames, hasSound, signal }: { frames: number; hasSound: boolean; signal: AbortSignal },
): Promise<Video> {
  if (bytes.length > MAX_FILE_BYTES) {
    throw new MediaError('too-large', `The video is larger than ${MAX_FILE_BYTES / 1e6} MB.`)
  }
  const kind = videoKind(bytes)
  if (!kind) {
    throw new MediaError('unsupported', 'This is not a video that can be read. Send MP4, MPEG, QuickTime or WebM.')
  }
  const count = Math.max(1, Math.min(frames, MAX_FRAMES))
  const video = await ffmpegPool().run({ type: 'film', bytes, demuxer: kind.demuxer, frames: count, hasSound }, signal)
  const images: Video['frames'] = []
  for (const { atSeconds, ...pixels } of video.frames) {
    images.push({ atSeconds, image: await imageOfPixels(pixels, { signal }) })
  }
  const audio = video.sound && (await audioOf(video.sound, signal))
  return { seconds: video.seconds, mime: kind.mime, frames: images, ...(audio && { sound: audio }) }
}
