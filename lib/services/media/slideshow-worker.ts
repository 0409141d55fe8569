/**
 * Entry of the process that makes videos of pictures with ffmpeg. Node runs it as it stands: only packages, types and
 * `./x.ts` may be imported.
 */
import { ffmpeg } from './ffmpeg-program.ts'
import { MediaError } from './media-error.ts'
import { FADE_SECONDS, type SlideshowResult, type SlideshowTask, SPEECH_RATE, VIDEO_RATE } from './media-tasks.ts'
import { serveDecoder } from './serve-decoder.ts'

const TIMEOUT_MS = 280_000
const ZOOM = 0.12

const demuxerOf = (mime: string) => (mime === 'image/png' ? 'png_pipe' : 'jpeg_pipe')

serveDecoder<SlideshowTask, SlideshowResult>('film', async (task) => {
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
      timeoutMs: TIMEOUT_MS,
    },
  )
  if (output.length > 0) return { bytes: output }
  throw new MediaError('unavailable', 'The video could not be generated.', { cause: new Error(log) })
})

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
