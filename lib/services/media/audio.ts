import 'server-only'
import { ffmpegRoom } from '@/lib/services/media/ffmpeg'
import { MAX_AUDIO_BYTES, MAX_AUDIO_SECONDS, SOUND_RATE } from '@/lib/services/media/ffmpeg-task'
import { MediaError } from '@/lib/services/media/media-error'
import { monoOf, type Pcm, SAMPLE_BYTES } from '@/lib/services/media/pcm'
import { resample } from '@/lib/services/media/resample'
import { sniffAudio, sniffAudioContainer } from '@/lib/services/media/sniff'
import { readWav, writeWav } from '@/lib/services/media/wav'

/** `pcm16` and `pcm24` are bare samples, signed, little-endian, one channel at 24 kHz, as realtime APIs use them. */
export type AudioFormat = 'wav' | 'mp3' | 'aiff' | 'aac' | 'ogg' | 'flac' | 'm4a' | 'pcm16' | 'pcm24'

/** One channel at 16 kHz, samples from -1 to 1. */
export type Sound = { samples: Float32Array; seconds: number }

const RAW_RATE = 24_000

/**
 * Reads sound for a speech model. What is decoded is what the content is; `format` decides only where content cannot
 * tell, for bare samples. Plain WAV and bare samples are read here, all else by ffmpeg.
 *
 * @throws MediaError `corrupt` for what is no sound in an accepted format, `too-long` (over 30 minutes), `too-large`
 *   (over 25 MB), `unavailable` where ffmpeg is not installed, and those of a DecoderRoom.
 */
export async function decodeAudio(
  bytes: Uint8Array,
  format: AudioFormat,
  { signal }: { signal: AbortSignal },
): Promise<Sound> {
  signal.throwIfAborted()
  if (bytes.length > MAX_AUDIO_BYTES) {
    throw new MediaError('too-large', `The audio is larger than ${MAX_AUDIO_BYTES / 1e6} MB.`)
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
  const { sound = new Uint8Array() } = await ffmpegRoom().run({ type: 'sound', bytes, demuxer: kind }, signal)
  return await soundOf(sound, signal)
}

/** Sound as ffmpeg gives it: 16-bit samples of one channel at 16 kHz. */
export async function soundOf(bytes: Uint8Array, signal: AbortSignal): Promise<Sound> {
  return await ofPcm({ bytes, rate: SOUND_RATE, channels: 1, encoding: 's16' }, signal)
}

/** 16-bit WAV of one channel at 16 kHz. */
export function wavOf(sound: Sound): Uint8Array {
  return writeWav(sound.samples, SOUND_RATE)
}

async function ofPcm(pcm: Pcm, signal: AbortSignal): Promise<Sound> {
  // Before a sample is read: samples of one byte each become four times as large.
  const count = Math.floor(pcm.bytes.length / (SAMPLE_BYTES[pcm.encoding] * pcm.channels))
  if (count === 0) throw new MediaError('corrupt', 'The audio is empty.')
  if (count / pcm.rate > MAX_AUDIO_SECONDS) {
    const message = `The audio is longer than ${MAX_AUDIO_SECONDS / 60} minutes. Send it in parts.`
    throw new MediaError('too-long', message)
  }
  const mono = await monoOf(pcm, signal)
  const samples = await resample(mono, { from: pcm.rate, to: SOUND_RATE }, signal)
  return { samples, seconds: samples.length / SOUND_RATE }
}
