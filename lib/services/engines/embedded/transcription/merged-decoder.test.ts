import { expect, test } from 'vitest'
import { repetitionStart } from '@/lib/services/engines/embedded/transcription/merged-decoder'

const times = (count: number, ...tokens: number[]) => Array.from({ length: count }, () => tokens).flat()

test.each([
  ['nothing at all', []],
  ['a sentence', [4, 8, 15, 16, 23, 42]],
  ['a phrase said three times', times(3, 7, 8, 9)],
  ['a laugh', times(7, 5)],
  ['a phrase that was repeated and gone on from', [...times(4, 7, 8), 1, 2]],
])('%s is no repetition', (_, tokens) => {
  expect(repetitionStart(tokens)).toBeUndefined()
})

test.each([
  ['one token', [1, 2], times(8, 5), 3],
  ['a phrase', [1, 2], times(4, 7, 8, 9), 5],
  ['a phrase of the greatest length', [], times(4, ...Array.from({ length: 12 }, (_, i) => i)), 12],
])('%s again and again ends after the first time', (_, before, repeated, end) => {
  expect(repetitionStart([...before, ...repeated])).toBe(end)
})
