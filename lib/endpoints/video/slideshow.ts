import 'server-only'
import { type Cue, toSrt } from '@/lib/contract/audio'
import { type VideoInput, withMedia } from '@/lib/endpoints/video/media'
import { secondsOf, sizeOf, videoCharge } from '@/lib/endpoints/video/quote'
import { perProcess } from '@/lib/kernel/per-process'
import { Semaphore } from '@/lib/kernel/semaphore'
import { sentencesOf } from '@/lib/services/engines/embedded/speech/speech'
import { EngineError } from '@/lib/services/engines/engine'
import { speechEngine } from '@/lib/services/engines/registry'
import type { ClaimedJob, JobTools, Made } from '@/lib/services/jobs/job'
import type { Charge } from '@/lib/services/ledger/ledger-types'
import { parseDataUrl } from '@/lib/services/media/data-url'
import { slideshowPool } from '@/lib/services/media/decoder-pool'
import { prepareImage } from '@/lib/services/media/image'
import { MediaError } from '@/lib/services/media/media-error'
import { MAX_VIDEO_SECONDS, type SlideshowTask, SPEECH_RATE } from '@/lib/services/media/media-tasks'
import type { Model } from '@/lib/services/models/model'

const VOICE = 'af_heart'
const REST_SECONDS = 0.7
const MAX_CAPTION_CHARACTERS = 120

// There is one engine: slideshows are made one after the other.
const slots = (): Semaphore => perProcess('slideshow-slots', () => new Semaphore(1))

/** Makes a video of the caller's images with the prompt as speech and captions. Nothing in it is generated. */
export async function makeSlideshow(model: Model, job: ClaimedJob, { signal }: JobTools): Promise<Made> {
  const leave = await slots().acquire(signal)
  try {
    // Written by `orderVideo`.
    const input = await withMedia(job.input as VideoInput, signal)
    const images = await imagesOf(input, signal)
    const spoken = input.audio === false ? undefined : await speak(input.prompt, signal)
    const cues = spoken?.cues ?? readingCues([...sentencesOf(input.prompt, MAX_CAPTION_CHARACTERS)])
    const seconds = lengthOf(input.duration, cues.at(-1)?.end ?? 0)
    const [width = 0, height = 0] = (sizeOf(input.aspect_ratio, input.resolution) ?? '854x480').split('x').map(Number)
    const task: SlideshowTask = {
      pictures: images,
      sound: spoken?.sound,
      captions: toSrt(cues),
      width,
      height,
      seconds,
    }
    const { bytes } = await slideshowPool().run(task, signal)
    return { type: 'video/mp4', bytes: one(bytes), charge: chargeOfLength(model, input, seconds) }
  } catch (error) {
    throw error instanceof MediaError ? toEngineError(error) : error
  } finally {
    leave()
  }
}

// It was queued at the price of the longest, and is charged by its seconds.
function chargeOfLength(model: Model, input: VideoInput, seconds: number): Charge | undefined {
  if (secondsOf(input.duration) !== undefined) return undefined
  return videoCharge(model, { ...input, duration: `${Math.ceil(seconds)}s` }, undefined)
}

async function imagesOf(input: VideoInput, signal: AbortSignal): Promise<SlideshowTask['pictures']> {
  const urls = [input.image_url, input.end_image_url].filter((url) => url !== undefined)
  const images: SlideshowTask['pictures'] = []
  for (const url of urls) {
    const { bytes, mime } = await prepareImage(parseDataUrl(url)?.bytes ?? new Uint8Array(), { signal })
    images.push({ bytes, mime })
  }
  return images
}

async function speak(text: string, signal: AbortSignal): Promise<{ sound: Uint8Array; cues: Cue[] }> {
  const voice = speechEngine()
  if (!voice) throw new EngineError('offline', 'The voice is not available at the moment.')
  const pieces: Buffer[] = []
  const cues: Cue[] = []
  let at = 0
  for await (const { samples, text: sentence } of voice.speak({ text, voice: VOICE }, signal)) {
    const start = at
    at += samples.length / SPEECH_RATE
    if (at > MAX_VIDEO_SECONDS) throw tooLong(at)
    pieces.push(integersOf(samples))
    cues.push({ text: sentence, start, end: at })
  }
  return { sound: Buffer.concat(pieces), cues }
}

function lengthOf(duration: string, wordsEnd: number): number {
  const asked = secondsOf(duration)
  if (wordsEnd > (asked ?? MAX_VIDEO_SECONDS)) throw tooLong(wordsEnd)
  return asked ?? Math.min(MAX_VIDEO_SECONDS, wordsEnd + REST_SECONDS)
}

const tooLong = (seconds: number): EngineError =>
  new EngineError(
    'invalid-request',
    `The text takes longer than ${Math.floor(seconds)} s to read. Shorten it, or choose a longer duration or "Auto" (at most ${MAX_VIDEO_SECONDS} s).`,
  )

function integersOf(samples: Float32Array): Buffer {
  const integers = Int16Array.from(samples, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767)
  return Buffer.from(integers.buffer)
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function toEngineError(error: MediaError): EngineError {
  if (error.reason === 'busy') return new EngineError('at-capacity', error.message, { cause: error })
  if (error.reason === 'unavailable') return new EngineError('offline', error.message, { cause: error })
  return new EngineError(error.reason === 'timeout' ? 'timeout' : 'invalid-request', error.message, { cause: error })
}

// Slow readers.
const READ_PER_SECOND = 14
const MIN_CUE_SECONDS = 1.5

function readingCues(sentences: readonly string[]): Cue[] {
  let at = 0
  return sentences.map((text) => {
    const start = at
    at += Math.max(MIN_CUE_SECONDS, text.length / READ_PER_SECOND)
    return { text, start, end: at }
  })
}
