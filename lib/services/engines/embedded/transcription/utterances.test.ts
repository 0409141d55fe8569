import { expect, test } from 'vitest'
import { utterancesOf } from '@/lib/services/engines/embedded/transcription/transcription'

const RATE = 16_000
const audio = (...parts: [seconds: number, loudness: number][]) =>
  Float32Array.from(
    parts.flatMap(([seconds, loudness]) =>
      Array.from({ length: seconds * RATE }, (_, at) => loudness * Math.sin(at / 5) + 0.001 * Math.sin(at / 3)),
    ),
  )
const seconds = (samples: Float32Array) =>
  utterancesOf(samples).map(({ start, end }) => [start / RATE, end / RATE].map((at) => Math.round(at * 10) / 10))

test('speech between pauses has its own beginning and end', () => {
  expect(seconds(audio([1, 0], [2, 0.3], [1, 0], [1, 0.2], [0.5, 0]))).toEqual([
    [0.8, 3.2],
    [3.8, 5.2],
  ])
})

test('a short pause, as between two words, ends nothing', () => {
  expect(seconds(audio([1, 0.3], [0.4, 0], [1, 0.3]))).toEqual([[0, 2.4]])
})

test('sound without a pause is one utterance, whatever its loudness, and silence is none', () => {
  expect(seconds(audio([5, 0.5]))).toEqual([[0, 5]])
  expect(seconds(audio([5, 0.01]))).toEqual([[0, 5]])
  expect(seconds(audio([5, 0]))).toEqual([])
  expect(utterancesOf(new Float32Array(0))).toEqual([])
})

test('background noise is no speech', () => {
  expect(seconds(audio([2, 0.01], [1, 0.3], [2, 0.01]))).toEqual([[1.8, 3.2]])
})
