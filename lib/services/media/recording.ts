import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MAX_AUDIO_SECONDS, MAX_FILE_BYTES } from '@/lib/contract/limits'
import { ffmpegPool } from '@/lib/services/media/decoder-pool'
import { imageOfPixels, type PreparedImage } from '@/lib/services/media/image'
import { MediaError } from '@/lib/services/media/media-error'
import { AUDIO_SAMPLE_RATE, MAX_FRAMES } from '@/lib/services/media/media-tasks'
import { sniffAudio, sniffAudioContainer, videoKind } from '@/lib/services/media/sniff'
import { monoOf, type Pcm, readWav, SAMPLE_BYTES, writeWav } from '@/lib/services/media/wav'

/** `pcm16` and `pcm24` are bare samples, signed, little-endian, one channel at 24 kHz, as realtime APIs use them. */
export type AudioFormat = 'wav' | 'mp3' | 'aiff' | 'aac' | 'ogg' | 'flac' | 'm4a' | 'pcm16' | 'pcm24'

/** One channel at 16 kHz, samples from -1 to 1. */
export type DecodedAudio = { samples: Float32Array; seconds: number }

const RAW_RATE = 24_000

/**
 * Decodes audio for a speech model by its content; `format` decides only for bare samples, which content cannot tell.
 * Plain WAV and bare samples are read here, all else by ffmpeg.
 *
 * @throws MediaError `corrupt`, `too-long` (over 30 minutes), `too-large` (over 25 MB), `unavailable` where ffmpeg is
 *   not installed, and those of a DecoderPool.
 */
export async function decodeAudio(
  bytes: Uint8Array,
  format: AudioFormat,
  { signal }: { signal: AbortSignal },
): Promise<DecodedAudio> {
  signal.throwIfAborted()
  if (bytes.length > MAX_FILE_BYTES) {
    throw new MediaError('too-large', `The audio is larger than ${MAX_FILE_BYTES / 1e6} MB.`)
  }
  const rawEncoding = format === 'pcm16' ? 's16' : format === 'pcm24' ? 's24' : undefined
  const kind = rawEncoding ? sniffAudioContainer(bytes) : sniffAudio(bytes)
  if (!kind && rawEncoding) return await ofPcm({ bytes, rate: RAW_RATE, channels: 1, encoding: rawEncoding }, signal)
  if (!kind) {
    const message = 'This is not audio that can be read. Send WAV, MP3, AIFF, AAC, OGG, FLAC, M4A, PCM16 or PCM24.'
    throw new MediaError('corrupt', message)
  }
  const pcm = kind === 'wav' ? readWav(bytes) : undefined
  if (pcm) return await ofPcm(pcm, signal)
  const { sound: audio = new Uint8Array() } = await ffmpegPool().run({ type: 'sound', bytes, demuxer: kind }, signal)
  return await audioOf(audio, signal)
}

export async function audioOf(bytes: Uint8Array, signal: AbortSignal): Promise<DecodedAudio> {
  return await ofPcm({ bytes, rate: AUDIO_SAMPLE_RATE, channels: 1, encoding: 's16' }, signal)
}

export function wavOf(audio: DecodedAudio): Uint8Array {
  return writeWav(audio.samples, AUDIO_SAMPLE_RATE)
}

async function ofPcm(pcm: Pcm, signal: AbortSignal): Promise<DecodedAudio> {
  // Before a sample is read: samples of one byte each become four times as large.
  const count = Math.floor(pcm.bytes.length / (SAMPLE_BYTES[pcm.encoding] * pcm.channels))
  if (count === 0) throw new MediaError('corrupt', 'The audio is empty.')
  if (count / pcm.rate > MAX_AUDIO_SECONDS) {
    const message = `The audio is longer than ${MAX_AUDIO_SECONDS / 60} minutes. Send it in parts.`
    throw new MediaError('too-long', message)
  }
  const mono = await monoOf(pcm, signal)
  const samples = await resample(mono, { from: pcm.rate, to: AUDIO_SAMPLE_RATE }, signal)
  return { samples, seconds: samples.length / AUDIO_SAMPLE_RATE }
}

const REACH = 12
const PASS_BAND = 0.94
const MAX_PHASES = 1_024
const SLICE = 16_384

// Resamples with a windowed-sinc filter, yielding to the event loop as it goes.
async function resample(
  samples: Float32Array,
  rates: { from: number; to: number },
  signal: AbortSignal,
): Promise<Float32Array> {
  if (rates.from === rates.to) return samples
  const filter = filterOf(rates)
  const result = new Float32Array(Math.floor((samples.length * rates.to) / rates.from))
  for (let start = 0; start < result.length; start += SLICE) {
    fill(result, start, Math.min(start + SLICE, result.length), samples, filter, rates)
    await nextTurn()
    signal.throwIfAborted()
  }
  return result
}

type Filter = { taps: number; phases: Float32Array[] }

function fill(
  result: Float32Array,
  start: number,
  end: number,
  samples: Float32Array,
  { taps, phases }: Filter,
  { from, to }: { from: number; to: number },
): void {
  for (let index = start; index < end; index++) {
    const scaled = index * from
    const base = Math.floor(scaled / to)
    const phase = phases[Math.floor(((scaled - base * to) / to) * phases.length)] ?? new Float32Array()
    const first = base - taps / 2 + 1
    const low = Math.max(0, -first)
    const high = Math.min(taps, samples.length - first)
    let sum = 0
    // Both indices are within bounds by `low` and `high`; this is the loop that all the time is spent in.
    for (let tap = low; tap < high; tap++) sum += (phase[tap] as number) * (samples[first + tap] as number)
    result[index] = sum
  }
}

function filterOf({ from, to }: { from: number; to: number }): Filter {
  const count = Math.min(MAX_PHASES, to / greatestCommonDivisor(from, to))
  const cutoff = Math.min(1, to / from) * PASS_BAND
  const taps = 2 * Math.ceil(REACH * Math.max(1, from / to))
  const phases = Array.from({ length: count }, (_, phase) => {
    const weights = Float32Array.from({ length: taps }, (_, tap) => {
      const distance = tap - (taps / 2 - 1) - phase / count
      return sinc(distance * cutoff) * window((2 * distance) / taps)
    })
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return weights.map((weight) => weight / sum)
  })
  return { taps, phases }
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

function window(x: number): number {
  return Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x)
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

type Video = {
  seconds: number
  mime: string
  frames: { atSeconds: number; image: PreparedImage }[]
  sound?: DecodedAudio
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
