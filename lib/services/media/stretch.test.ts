import { expect, test } from 'vitest'
import { stretch } from '@/lib/services/media/speech-encoder'
import { loudnessOf, pitchOf } from '@/lib/services/media/testing'

const RATE = 24_000
const tone = Float32Array.from({ length: RATE }, (_, at) => 0.4 * Math.sin((2 * Math.PI * 220 * at) / RATE))

test.each([0.5, 1.5, 2])('sound that lasts %s times as long has its pitch and its loudness', (factor) => {
  const samples = stretch(tone, RATE, factor)
  expect(samples.length).toBe(RATE * factor)
  const middle = samples.slice(2_000, -3_000)
  expect(pitchOf({ samples: middle, seconds: middle.length / RATE })).toBeCloseTo(220, -1)
  expect(loudnessOf(middle)).toBeCloseTo(loudnessOf(tone), 1)
  expect(Math.max(...middle.map(Math.abs))).toBeLessThanOrEqual(0.5)
})

test('what is too short to stretch, or to be stretched, stays as it is', () => {
  expect(stretch(tone, RATE, 1)).toBe(tone)
  expect(stretch(tone.subarray(0, 100), RATE, 2)).toHaveLength(100)
})
