import { expect, test } from 'vitest'
import { isSilent, piecesOf } from '@/lib/services/engines/embedded/transcription/transcription'

const RATE = 16_000
const MAX = 20 * RATE

function speech(seconds: number, ...pausesAt: number[]): Float32Array {
  const audio = Float32Array.from({ length: seconds * RATE }, (_, index) => 0.3 * Math.sin(index / 6))
  for (const at of pausesAt) audio.fill(0, at * RATE, (at + 0.34) * RATE)
  return audio
}

test('sound that fits is one piece, and no sound is none', () => {
  const audio = speech(20)
  expect([...piecesOf(audio, MAX)]).toEqual([audio])
  expect([...piecesOf(new Float32Array(0), MAX)]).toEqual([])
})

test('longer sound is cut in its pauses, and nothing of it is lost', () => {
  const audio = speech(60, 3, 12, 17, 31, 48)
  const pieces = [...piecesOf(audio, MAX)]
  let cut = 0
  const cuts = pieces.slice(0, -1).map((piece) => {
    cut += piece.length
    return cut / RATE
  })
  expect(cuts).toHaveLength(3)
  for (const [index, pause] of [17, 31, 48].entries()) {
    expect(cuts[index]).toBeGreaterThan(pause)
    expect(cuts[index]).toBeLessThan(pause + 0.34)
  }
  expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(audio.length)
})

test('sound without a pause is cut all the same, in pieces that are not too short', () => {
  for (const audio of [speech(65), new Float32Array(65 * RATE), new Float32Array(65 * RATE).fill(Number.NaN)]) {
    const lengths = [...piecesOf(audio, MAX)].map(({ length }) => length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX)
    expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(MAX / 2)
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(audio.length)
  }
})

test('a quiet room is silence, a whisper is not', () => {
  const noise = (loudness: number) => Float32Array.from({ length: RATE }, (_, i) => loudness * Math.sin(i * i))
  expect(isSilent(noise(0.001))).toBe(true)
  expect(isSilent(new Float32Array(RATE).fill(Number.NaN))).toBe(true)
  expect(isSilent(noise(0.01))).toBe(false)
  const word = new Float32Array(10 * RATE)
  word.set(noise(0.1).subarray(0, RATE / 4), 5 * RATE)
  expect(isSilent(word)).toBe(false)
})
