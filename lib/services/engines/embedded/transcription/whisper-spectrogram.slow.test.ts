import { expect, test } from 'vitest'
import { FRAMES, spectrogramOf, spectrograph } from '@/lib/services/engines/embedded/transcription/whisper'

const PITCHES = 80
const EXTRACTOR = spectrograph(PITCHES)

const tone = (hz: number, seconds: number) =>
  Float32Array.from({ length: seconds * 16_000 }, (_, index) => 0.5 * Math.sin((2 * Math.PI * hz * index) / 16_000))

const loudestPitch = (values: Float32Array, frame: number) => {
  const column = Array.from({ length: PITCHES }, (_, pitch) => values[pitch * FRAMES + frame]!)
  return column.indexOf(Math.max(...column))
}

test('silence is as quiet as can be, for half a minute', async () => {
  const values = await spectrogramOf(new Float32Array(16_000), EXTRACTOR)
  expect(values).toHaveLength(80 * 3_000)
  expect(new Set(values)).toEqual(new Set([-1.5]))
})

// Worked out from the scale: the middle of pitch n is at mel (n + 1) * 45.245 / 81, 1000 Hz are mel 15.
test.each([
  [200, 4],
  [1_000, 26],
  [4_000, 62],
])('a tone of %i Hz is pitch %i, while it lasts', async (hz, pitch) => {
  const values = await spectrogramOf(tone(hz, 2), EXTRACTOR)
  expect(loudestPitch(values, 100)).toBe(pitch)
  expect(values[pitch * FRAMES + 100]).toBeGreaterThan(values[pitch * FRAMES + 250]! + 1.9)
})

test('the power of a tone is what the sums say', async () => {
  // Half of the amplitude, times the window's sum: (0.5 / 2 * 200)^2, by the filter's height at its middle.
  const values = await spectrogramOf(tone(1_000, 2), EXTRACTOR)
  const power = 10 ** (values[26 * FRAMES + 100]! * 4 - 4)
  expect(power).toBeGreaterThan(15)
  expect(power).toBeLessThan(60)
})

test('what is no number or out of range spreads nowhere', async () => {
  const values = await spectrogramOf(Float32Array.of(Number.NaN, 1e9, -1e9, Number.POSITIVE_INFINITY), EXTRACTOR)
  expect(values.every(Number.isFinite)).toBe(true)
})

test('what is beyond half a minute is left out', async () => {
  const longer = await spectrogramOf(tone(440, 32), EXTRACTOR)
  const long = await spectrogramOf(tone(440, 31), EXTRACTOR)
  expect(long.every((value, index) => value === longer[index])).toBe(true)
})

test('large models hear in finer pitches', async () => {
  const values = await spectrogramOf(tone(1_000, 2), spectrograph(128))
  const column = Array.from({ length: 128 }, (_, pitch) => values[pitch * FRAMES + 100]!)
  // The middle of pitch n is at mel (n + 1) * 45.245 / 129, 1000 Hz are mel 15.
  expect(column.indexOf(Math.max(...column))).toBe(42)
})
