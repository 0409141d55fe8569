import { afterAll, expect, test } from 'vitest'
import { ffmpegPool } from '@/lib/services/media/decoder-pool'
import { type AudioFormat, decodeAudio, wavOf } from '@/lib/services/media/recording'
import {
  failureOf,
  longestWork,
  loudnessOf,
  makeWithFfmpeg,
  mutated,
  pitchOf,
  tone,
} from '@/lib/services/media/testing'
import { writeWav } from '@/lib/services/media/wav'

const signal = new AbortController().signal
const MADE: Record<AudioFormat, string[]> = {
  wav: ['a.wav'],
  mp3: ['-c:a', 'libmp3lame', 'a.mp3'],
  aiff: ['a.aiff'],
  aac: ['-c:a', 'aac', 'a.aac'],
  ogg: ['-c:a', 'libvorbis', 'a.ogg'],
  flac: ['-sample_fmt', 's16', 'a.flac'],
  m4a: ['-c:a', 'aac', 'a.m4a'],
  pcm16: ['-ar', '24000', '-f', 's16le', 'a.raw'],
  pcm24: ['-ar', '24000', '-f', 's24le', 'a.raw'],
}
const formats = Object.keys(MADE) as AudioFormat[]
const made = makeWithFfmpeg(...formats.map((format) => [...tone(3), ...MADE[format]]))
const files = Object.fromEntries(formats.map((format, index) => [format, made[index]])) as Record<
  AudioFormat,
  Uint8Array
>

afterAll(() => ffmpegPool().close())

test.each(formats)('%s gives the tone it holds', async (format) => {
  const audio = await decodeAudio(files[format], format, { signal })

  expect(audio.seconds).toBeGreaterThan(2.95)
  expect(audio.seconds).toBeLessThan(3.15)
  expect(audio.samples.length / 16_000).toBeCloseTo(audio.seconds, 3)
  expect(pitchOf(audio)).toBeGreaterThan(425)
  expect(pitchOf(audio)).toBeLessThan(445)
  // ffmpeg's tone has an eighth of the full height.
  expect(loudnessOf(audio.samples)).toBeCloseTo(0.125 / Math.SQRT2, 2)
})

test('a wrong name does not matter where the content is sound', async () => {
  for (const [format, told] of [
    ['mp3', 'wav'],
    ['wav', 'pcm16'],
    ['flac', 'pcm24'],
    ['m4a', 'mp3'],
  ] as const) {
    expect(pitchOf(await decodeAudio(files[format], told, { signal }))).toBeGreaterThan(425)
  }
})

test('WAV of every plain encoding and several rates and channels is read', async () => {
  const encodings = ['pcm_u8', 'pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le', 'pcm_f64le', 'pcm_mulaw']
  const rates = [8_000, 11_025, 16_000, 22_050, 44_099, 48_000, 96_000]
  const wavs = makeWithFfmpeg(
    ...encodings.map((encoding) => [...tone(1), '-c:a', encoding, '-ac', '2', 'a.wav']),
    ...rates.map((rate) => [...tone(1, rate), 'a.wav']),
  )
  for (const [index, wav] of wavs.entries()) {
    const audio = await decodeAudio(wav, 'wav', { signal })
    expect(audio.seconds, `${index}`).toBeCloseTo(1, 2)
    expect(Math.abs(pitchOf(audio) - 440), `${index}`).toBeLessThan(5)
    // Of two channels, each has half the power.
    const height = index < encodings.length ? 0.125 / Math.SQRT2 : 0.125
    expect(loudnessOf(audio.samples), `${index}`).toBeCloseTo(height / Math.SQRT2, 2)
  }
})

test('what lies above the new rate is not folded down into speech', async () => {
  const rate = 48_000
  const shrill = Float32Array.from({ length: rate }, (_, index) => Math.sin((2 * Math.PI * 11_000 * index) / rate))

  const { samples } = await decodeAudio(writeWav(shrill, rate), 'wav', { signal })

  expect(loudnessOf(samples.subarray(100, -100))).toBeLessThan(0.001)
})

test('what is written is read again', async () => {
  const audio = await decodeAudio(files.wav, 'wav', { signal })
  const retry = await decodeAudio(wavOf(audio), 'wav', { signal })

  expect(retry.seconds).toBe(audio.seconds)
  expect(Math.abs((retry.samples[777] ?? 0) - (audio.samples[777] ?? 0))).toBeLessThan(0.001)
  expect(Array.from(wavOf({ samples: new Float32Array([2, -2]), seconds: 0 }).subarray(44))).toEqual([255, 127, 0, 128])
})

test('a WAV file that was never finished is read as far as it goes', async () => {
  const wav = wavOf(await decodeAudio(files.pcm16, 'pcm16', { signal }))
  const open = Uint8Array.from(wav)
  new DataView(open.buffer).setUint32(40, 0xffffffff, true)

  expect((await decodeAudio(open, 'wav', { signal })).seconds).toBeCloseTo(3, 2)
  expect((await decodeAudio(wav.subarray(0, 44 + 32_001), 'wav', { signal })).seconds).toBe(1)
})

test.each<[string, string, Uint8Array, AudioFormat]>([
  ['an empty file', 'corrupt', new Uint8Array(), 'wav'],
  ['an empty file of samples', 'corrupt', new Uint8Array(1), 'pcm16'],
  ['text', 'corrupt', Buffer.from('this is no sound at all'), 'mp3'],
  ['a WAV header alone', 'corrupt', files.wav.subarray(0, 44), 'wav'],
  ['a WAV file without samples', 'corrupt', files.wav.subarray(0, 30), 'wav'],
  ['a WAV file of no channels', 'corrupt', patched(files.wav, 22, [0, 0]), 'wav'],
  ['a WAV file of an impossible rate', 'corrupt', patched(files.wav, 24, [255, 255, 255, 255]), 'wav'],
  ['a WAV file of an impossible step', 'corrupt', patched(files.wav, 32, [0, 0]), 'wav'],
  ['a picture', 'corrupt', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'ogg'],
  ['the start of an MP3 file', 'corrupt', files.mp3.subarray(0, 60), 'mp3'],
  ['an MP3 tag with a playlist in it', 'corrupt', Buffer.from('ID3\x03\0\0\0\0\0\0#EXTM3U\nhttp://127.0.0.1/'), 'mp3'],
  ['more than 25 MB', 'too-large', new Uint8Array(25_000_001), 'pcm16'],
  ['more than half an hour', 'too-long', telephone(1_801), 'wav'],
])('%s is %s', async (_, reason, bytes, format) => {
  const failure = await failureOf(decodeAudio(bytes, format, { signal }))

  expect(failure).toMatchObject({ name: 'MediaError', reason })
})

test('more than half an hour is too long where ffmpeg reads it, too', async () => {
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=sample_rate=16000:channel_layout=mono', '-t', '1801']
  const [long = new Uint8Array()] = makeWithFfmpeg([...silence, 'a.flac'])

  expect(await failureOf(decodeAudio(long, 'flac', { signal }))).toMatchObject({ reason: 'too-long' })
})

test('large files do not keep the server from its other work, and an abort is heard', async () => {
  const raw = new Uint8Array(Buffer.alloc(8_000_000, 'no silence'))
  const controller = new AbortController()
  const pauseMs = await longestWork(() => decodeAudio(raw, 'pcm16', { signal }))
  const aborted = failureOf(decodeAudio(raw, 'pcm16', { signal: controller.signal }))
  controller.abort(new Error('gone'))

  expect(pauseMs).toBeLessThan(200)
  expect((await aborted).message).toBe('gone')
})

test('damaged files end in sound or a clear refusal', async () => {
  const outcomes = new Set<string>()
  for (const format of ['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac', 'm4a'] as const) {
    for (let seed = 1; seed <= 2; seed++) {
      const outcome = await decodeAudio(mutated(files[format], seed), format, { signal }).catch((error) => error)
      outcomes.add(outcome instanceof Error ? ((outcome as { reason?: string }).reason ?? String(outcome)) : 'sound')
    }
  }
  expect([...outcomes].filter((outcome) => !['sound', 'corrupt', 'too-long'].includes(outcome))).toEqual([])
})

function telephone(seconds: number): Uint8Array {
  const header = patched(writeWav(new Float32Array(), 4_000), 32, [1, 0, 8, 0])
  return Buffer.concat([header, Buffer.alloc(seconds * 4_000, 128)])
}

function patched(bytes: Uint8Array, at: number, values: number[]): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy.set(values, at)
  return copy
}
