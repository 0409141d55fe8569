import { afterAll, expect, test } from 'vitest'
import { SPEECH_FORMATS, type SpeechFormat } from '@/lib/contract/audio'
import { createFlacWriter } from '@/lib/services/media/flac'
import { decodeAudio } from '@/lib/services/media/recording'
import { sniffAudio } from '@/lib/services/media/sniff'
import { createSpeechEncoder, formatsMadeHere } from '@/lib/services/media/speech-encoder'
import { loudnessOf, pitchOf } from '@/lib/services/media/testing'

const RATE = 24_000
const open = new AbortController().signal
const SECONDS = 3
const tone = Float32Array.from({ length: RATE * SECONDS }, (_, at) => 0.4 * Math.sin((2 * Math.PI * 440 * at) / RATE))

async function encode(format: SpeechFormat, pieces: Float32Array[], isWhole = false): Promise<Uint8Array> {
  const encoder = createSpeechEncoder(format, RATE, { isWhole })
  const parts: Uint8Array[] = []
  for (const piece of pieces) parts.push(await encoder.add(piece, open))
  return Buffer.concat([...parts, encoder.end()])
}

test('this installation makes every format; without the encoders, those that need none', () => {
  expect(formatsMadeHere(process.cwd())).toEqual([...SPEECH_FORMATS])
  expect(formatsMadeHere('/nowhere')).toEqual(['flac', 'wav', 'pcm'])
})

const KINDS = { mp3: 'mp3', opus: 'ogg', aac: 'aac', flac: 'flac', wav: 'wav' } as const

test.each(Object.entries(KINDS))('%s, whole or in pieces, is one file with all of the sound', async (format, kind) => {
  const thirds = [0, 1, 2].map((at) => tone.subarray(at * RATE, (at + 1) * RATE))
  const files = [await encode(format as SpeechFormat, [tone], true), await encode(format as SpeechFormat, thirds)]
  for (const file of files) {
    expect(sniffAudio(file)).toBe(kind)
    const audio = await decodeAudio(file, 'wav', { signal: open })
    expect(audio.seconds).toBeGreaterThan(SECONDS - 0.1)
    expect(audio.seconds).toBeLessThan(SECONDS + 0.4)
    const middle = audio.samples.slice(4_000, 12_000)
    expect(pitchOf({ samples: middle, seconds: 0.5 })).toBeCloseTo(440, -1)
    expect(loudnessOf(middle)).toBeCloseTo(0.28, 1)
  }
})

test('bare samples are 16 bits, little-endian, and clipped, not wrapped around', async () => {
  const bytes = Buffer.from(await encode('pcm', [Float32Array.of(0, 0.5, 1, 2, -2)]))
  expect([0, 2, 4, 6, 8].map((at) => bytes.readInt16LE(at))).toEqual([0, 16_384, 32_767, 32_767, -32_768])
})

test.each<[string, (at: number) => number]>([
  ['noise', (at) => ((Math.imul(at + 7, 2_654_435_761) >>> 16) & 0xffff) - 32_768],
  ['silence', () => 0],
  ['a constant', () => -1_234],
  ['full-scale jumps', (at) => (at % 2 ? 32_767 : -32_768)],
  ['a quiet slope', (at) => Math.floor(at / 100) - 200],
])('flac gives back %s sample by sample', async (_, sampleAt) => {
  const samples = Int16Array.from({ length: 16_000 + 301 }, (_, at) => sampleAt(at))
  const writer = createFlacWriter(16_000)
  const file = Buffer.concat([
    writer.head(),
    writer.write(samples.subarray(0, 5_000)),
    writer.write(samples.subarray(5_000)),
    writer.end(),
  ])
  const { samples: read } = await decodeAudio(file, 'wav', { signal: open })
  expect(Int16Array.from(read, (sample) => Math.round(sample * 32_768))).toEqual(samples)
})

afterAll(async () => {
  const { encoderPool } = await import('@/lib/services/media/speech-encoder')
  const { ffmpegPool } = await import('@/lib/services/media/decoder-pool')
  await Promise.all([encoderPool(), ffmpegPool()].map((room) => (room as { close?: () => Promise<void> }).close?.()))
})
