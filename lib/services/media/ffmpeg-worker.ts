// Entry of the processes that read and write audio and video with ffmpeg. Node runs it unbundled.
import { MAX_AUDIO_SECONDS, MAX_VIDEO_SECONDS } from '../../contract/limits.ts'
import { ffmpeg, ffprobe } from './ffmpeg-program.ts'
import { MediaError } from './media-error.ts'
import {
  AUDIO_SAMPLE_RATE,
  type EncodeResult,
  type EncodeTask,
  FADE_SECONDS,
  type FfmpegResult,
  type FfmpegTask,
  type Frame,
  MAX_FRAME_SIDE,
  MAX_VIDEO_PIXELS,
  type SlideshowResult,
  type SlideshowTask,
  SPEECH_RATE,
  VIDEO_RATE,
} from './media-tasks.ts'
import { serveDecoder } from './serve-decoder.ts'

const AUDIO_TIMEOUT_MS = 50_000

type AnyTask = FfmpegTask | EncodeTask | SlideshowTask
type AnyResult = FfmpegResult | EncodeResult | SlideshowResult

serveDecoder<AnyTask, AnyResult>(process.argv[4] ?? '', async (task) => {
  if ('pictures' in task) return makeSlideshow(task)
  if ('format' in task) return encode(task)
  return task.type === 'sound' ? readSound(task) : readFilm(task)
})

async function readSound(input: Input): Promise<FfmpegResult> {
  const audio = await audioOf(input, MAX_AUDIO_SECONDS)
  if (audio.length === 0) throw new MediaError('corrupt', 'The audio could not be decoded: it is damaged or empty.')
  return { seconds: audio.length / 2 / AUDIO_SAMPLE_RATE, frames: [], sound: audio }
}

async function readFilm(task: Extract<FfmpegTask, { type: 'film' }>): Promise<FfmpegResult> {
  const video = await videoOf(task, task.frames)
  if (!task.hasSound || !video.hasSound) return video
  const audio = await audioOf(task, MAX_VIDEO_SECONDS)
  return audio.length > 0 ? { ...video, sound: audio } : video
}

async function audioOf(input: Input, maxSeconds: number): Promise<Uint8Array> {
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

type Input = { bytes: Uint8Array; demuxer: string }
type Video = { seconds: number; frames: Frame[]; hasSound: boolean }
type Probe = { format?: { duration?: string }; streams?: Stream[] }
type Stream = { codec_type?: string; width?: number; height?: number; duration?: string }

const EXACT_TIMEOUT_MS = 5_000
const KEY_FRAME_TIMEOUT_MS = 8_000
const EXACT_BUDGET_MS = 15_000
const FRAMES_BUDGET_MS = 35_000
const SCAN_TIMEOUT_MS = 10_000

async function videoOf(input: Input, frames: number): Promise<Video> {
  const { format, streams = [] } = parseProbe(await ffprobe(input, PROBED))
  const video = streams.find((stream) => stream.codec_type === 'video')
  if (!video) throw new MediaError('corrupt', 'The video has no readable video track.')
  const { width = 0, height = 0 } = video
  if (width * height > MAX_VIDEO_PIXELS) {
    throw new MediaError('too-large', `The video is ${width} x ${height} pixels. The maximum is 4096 x 2304.`)
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

// Takes a picture as raw pixels in the Netpbm format. The program's own JPEG encoder corrupts its memory, and then
// traps or never ends.
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

const CODECS: Record<EncodeTask['format'], string[]> = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '64k'],
  opus: ['-c:a', 'libopus', '-b:a', '32k', '-frame_duration', '20', '-application', 'voip', '-f', 'ogg'],
  aac: ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
}

// A file's own head says how long it is; a part of a stream must have none.
const mp3Head = (isPart: boolean) => ['-id3v2_version', '0', '-write_xing', isPart ? '0' : '1', '-f', 'mp3']

async function encode({ bytes, rate, format, isPart }: EncodeTask): Promise<EncodeResult> {
  const { output, log } = await ffmpeg(
    { bytes, demuxer: 's16le' },
    {
      before: ['-ar', String(rate), '-ac', '1'],
      after: ['-map_metadata', '-1', ...CODECS[format], ...(format === 'mp3' ? mp3Head(isPart) : [])],
      timeoutMs: AUDIO_TIMEOUT_MS,
    },
  )
  if (output.length > 0) return { bytes: output }
  throw new MediaError('unavailable', 'The speech could not be written in this format.', { cause: new Error(log) })
}

const SLIDESHOW_TIMEOUT_MS = 280_000
const ZOOM = 0.12

const demuxerOf = (mime: string) => (mime === 'image/png' ? 'png_pipe' : 'jpeg_pipe')

async function makeSlideshow(task: SlideshowTask): Promise<SlideshowResult> {
  const { pictures: images, sound: audio, captions, seconds } = task
  const [first, second] = images
  if (!first) throw new MediaError('corrupt', 'A video needs an image.')
  const inputs: string[] = []
  const others: Record<string, Uint8Array> = {}
  const add = (name: string, bytes: Uint8Array, options: string[]) => {
    others[name] = bytes
    inputs.push(...options, '-i', name)
    return Object.keys(others).length
  }
  if (second) add('second', second.bytes, ['-f', demuxerOf(second.mime)])
  const voice = audio && add('sound', audio, ['-f', 's16le', '-ar', String(SPEECH_RATE), '-ac', '1'])
  const captionsInput = captions && add('captions', new TextEncoder().encode(captions), ['-f', 'srt'])
  const { output, log } = await ffmpeg(
    { bytes: first.bytes, demuxer: demuxerOf(first.mime), others },
    {
      after: [
        ...inputs,
        ...['-filter_complex', graph(task), '-map', '[film]'],
        ...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '24', '-maxrate', '4M', '-bufsize', '8M'],
        ...['-pix_fmt', 'yuv420p'],
        ...(voice ? ['-map', `${voice}:a`, '-af', 'apad', '-c:a', 'aac', '-b:a', '64k'] : []),
        ...(captionsInput ? ['-map', `${captionsInput}:s`, '-c:s', 'mov_text', '-metadata:s:s:0', 'language=eng'] : []),
        ...['-t', String(seconds), '-map_metadata', '-1', '-movflags', '+faststart', '-threads', '1', '-f', 'mp4'],
      ],
      timeoutMs: SLIDESHOW_TIMEOUT_MS,
    },
  )
  if (output.length > 0) return { bytes: output }
  throw new MediaError('unavailable', 'The video could not be generated.', { cause: new Error(log) })
}

function graph({ pictures: images, width, height, seconds }: SlideshowTask): string {
  const hasTwo = images.length > 1
  const shown = hasTwo ? (seconds + FADE_SECONDS) / 2 : seconds
  const frames = Math.ceil(shown * VIDEO_RATE) + 1
  // Twice the size, so that the slow movement falls between pixels and does not shake.
  const [wide, high] = [width * 2, height * 2]
  const moving = [
    `scale=${wide}:${high}:force_original_aspect_ratio=increase`,
    `crop=${wide}:${high}`,
    'setsar=1',
    `zoompan=z='1+${ZOOM}*on/${frames}':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d=${frames}:s=${width}x${height}:fps=${VIDEO_RATE}`,
    'format=yuv420p',
  ].join(',')
  if (!hasTwo) return `[0:v]${moving}[film]`
  const fade = `xfade=transition=fade:duration=${FADE_SECONDS}:offset=${(shown - FADE_SECONDS).toFixed(3)}`
  return `[0:v]${moving}[a];[1:v]${moving}[b];[a][b]${fade}[film]`
}
