/**
 * Entry of the process that reads audio and video with ffmpeg. Node runs it as it stands: only packages, types and
 * `./x.ts` may be imported.
 */
import { MAX_AUDIO_SECONDS, MAX_VIDEO_SECONDS } from '../../contract/limits.ts'
import { ffmpeg, ffprobe } from './ffmpeg-program.ts'
import { MediaError } from './media-error.ts'
import {
  AUDIO_SAMPLE_RATE,
  type FfmpegResult,
  type FfmpegTask,
  type Frame,
  MAX_FRAME_SIDE,
  MAX_VIDEO_PIXELS,
} from './media-tasks.ts'
import { serveDecoder } from './serve-decoder.ts'

const AUDIO_TIMEOUT_MS = 50_000

serveDecoder<FfmpegTask, FfmpegResult>('recording', async (task) => {
  if (task.type === 'sound') {
    const audio = await audioOf(task, MAX_AUDIO_SECONDS)
    if (audio.length === 0) throw new MediaError('corrupt', 'The audio could not be decoded: it is damaged or empty.')
    return { seconds: secondsOf(audio), frames: [], sound: audio }
  }
  const video = await videoOf(task, task.frames)
  if (!task.hasSound || !video.hasSound) return video
  const audio = await audioOf(task, MAX_VIDEO_SECONDS)
  return audio.length > 0 ? { ...video, sound: audio } : video
})

async function audioOf(input: { bytes: Uint8Array; demuxer: string }, maxSeconds: number): Promise<Uint8Array> {
  const bytes = (maxSeconds + 1) * AUDIO_SAMPLE_RATE * 2
  const { output } = await ffmpeg(input, {
    after: [
      ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-ac', '1', '-ar', String(AUDIO_SAMPLE_RATE)],
      ...['-t', String(maxSeconds + 1), '-fs', String(bytes), '-f', 's16le'],
    ],
    timeoutMs: AUDIO_TIMEOUT_MS,
  })
  return output
}

const secondsOf = (audio: Uint8Array): number => audio.length / 2 / AUDIO_SAMPLE_RATE

type Input = { bytes: Uint8Array; demuxer: string }
type Video = { seconds: number; frames: Frame[]; hasSound: boolean }
type Probe = { format?: { duration?: string }; streams?: Stream[] }
type Stream = { codec_type?: string; width?: number; height?: number; duration?: string }

const EXACT_TIMEOUT_MS = 5_000
const KEY_FRAME_TIMEOUT_MS = 8_000
const EXACT_BUDGET_MS = 15_000
const FRAMES_BUDGET_MS = 35_000
const SCAN_TIMEOUT_MS = 10_000

/**
 * Takes pictures of a video, evenly spread, and its length.
 *
 * @throws MediaError `corrupt` without a readable video stream, `too-long`, `too-large`.
 */
async function videoOf(input: Input, frames: number): Promise<Video> {
  const { format, streams = [] } = parseProbe(await ffprobe(input, PROBED))
  const video = streams.find((stream) => stream.codec_type === 'video')
  if (!video) throw new MediaError('corrupt', 'The video has no readable video track.')
  const { width = 0, height = 0 } = video
  if (width * height > MAX_VIDEO_PIXELS) {
    throw new MediaError('too-large', `The video is ${width} x ${height} pixels; the most is 4096 x 2304.`)
  }
  const seconds = positive(format?.duration) ?? positive(video.duration) ?? (await scannedSeconds(input))
  if (seconds > MAX_VIDEO_SECONDS) {
    throw new MediaError('too-long', `The video is longer than ${MAX_VIDEO_SECONDS / 60} minutes. Send a part of it.`)
  }
  const hasSound = streams.some((stream) => stream.codec_type === 'audio')
  return { seconds, frames: await spread(input, { seconds, frames }), hasSound }
}

const PROBED = 'format=duration:stream=codec_type,width,height,duration'

function parseProbe(json: string): Probe {
  try {
    return JSON.parse(json) as Probe
  } catch (cause) {
    throw new MediaError('corrupt', 'The video could not be read: it is damaged or incomplete.', { cause })
  }
}

function positive(seconds: string | undefined): number | undefined {
  const value = Number(seconds)
  return Number.isFinite(value) && value > 0 ? value : undefined
}

async function scannedSeconds(input: Input): Promise<number> {
  const { output } = await ffmpeg(input, {
    after: ['-map', '0:v:0', '-c', 'copy', '-t', String(MAX_VIDEO_SECONDS + 1), '-progress', 'output', '-f', 'null'],
    timeoutMs: SCAN_TIMEOUT_MS,
  })
  const reached = new TextDecoder()
    .decode(output)
    .match(/(?<=out_time_us=)\d+/g)
    ?.at(-1)
  return Number(reached ?? 0) / 1e6
}

async function spread(input: Input, { seconds, frames }: { seconds: number; frames: number }): Promise<Frame[]> {
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  const sampled: Frame[] = []
  let isExact = true
  for (let index = 0; index < frames && elapsedMs() < FRAMES_BUDGET_MS; index++) {
    const atSeconds = (seconds * (index + 0.5)) / frames
    isExact &&= elapsedMs() < EXACT_BUDGET_MS
    let frame = isExact ? await frameAt(input, atSeconds, true) : undefined
    frame ??= await frameAt(input, atSeconds, false)
    if (frame) sampled.push(frame)
  }
  // The length may be a lie, and there is nothing where it points.
  const first = sampled.length === 0 ? await frameAt(input, 0, false) : undefined
  if (first) sampled.push(first)
  if (sampled.length === 0) throw new MediaError('corrupt', 'No frame of the video could be decoded: it is damaged.')
  return sampled
}

/**
 * Takes a picture as raw pixels in the Netpbm format. The program's own JPEG encoder corrupts its memory, and then
 * traps or never ends.
 */
async function frameAt(input: Input, atSeconds: number, isExact: boolean): Promise<Frame | undefined> {
  const square = 'scale=w=ceil(iw*sar/2)*2:h=ih,setsar=1'
  const sides = `w='min(${MAX_FRAME_SIDE},iw)':h='min(${MAX_FRAME_SIDE},ih)'`
  const fit = `scale=${sides}:force_original_aspect_ratio=decrease`
  const { output } = await ffmpeg(input, {
    before: [...(isExact ? [] : ['-noaccurate_seek']), '-ss', atSeconds.toFixed(3)],
    after: [
      ...['-map', '0:v:0', '-an', '-sn', '-dn', '-vf', `${square},${fit},format=rgb24`],
      ...['-frames:v', '1', '-c:v', 'ppm', '-f', 'image2pipe'],
    ],
    timeoutMs: isExact ? EXACT_TIMEOUT_MS : KEY_FRAME_TIMEOUT_MS,
  })
  const [header, width, height] = new TextDecoder('latin1').decode(output.subarray(0, 32)).match(PPM) ?? []
  if (!header) return undefined
  const size = { width: Number(width), height: Number(height) }
  const bytes = output.subarray(header.length, header.length + size.width * size.height * 3)
  return bytes.length === size.width * size.height * 3 ? { atSeconds, ...size, bytes } : undefined
}

const PPM = /^P6\n(\d{1,5}) (\d{1,5})\n255\n/
