import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sentencesOf } from '@/lib/services/engines/embedded/speech/speech'

const split = (text: string, max = 250) => [...sentencesOf(text, max)]

test('sentences and lines are split, titles and initials are not ends', () => {
  expect(split('Hello there! Dr. J. Smith pays $3.50, i.e. little. Why?\nA line\n\n  Another.')).toEqual([
    'Hello there!',
    'Dr. J. Smith pays $3.50, i.e. little.',
    'Why?',
    'A line',
    'Another.',
  ])
})

test('a long sentence is split after a comma, else at a space, else where it must be', () => {
  expect(split('one two three four, five six seven', 24)).toEqual(['one two three four,', 'five six seven'])
  expect(split('one two three four five six', 16)).toEqual(['one two three', 'four five six'])
  expect(split('a'.repeat(25), 10)).toEqual(['a'.repeat(10), 'a'.repeat(10), 'a'.repeat(5)])
})

test('nothing but white space is lost, and no part is empty, too long or cut within a character', () => {
  const bare = (text: string) => text.replace(/\s/g, '')
  const text = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('. ', 'Dr. ', ', ', '\n', '🌊')))
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 40 }), (parts, max) => {
      const sentences = split(parts.join(''), max)
      expect(bare(sentences.join(''))).toBe(bare(parts.join('')))
      for (const sentence of sentences) {
        expect(sentence.length).toBeGreaterThan(0)
        expect(sentence.length).toBeLessThanOrEqual(max)
        expect(sentence.isWellFormed()).toBe(true)
      }
    }),
  )
})

// So long that looking at all the rest for each part, or at all before it, takes minutes: longer than a test may.
test('a book of one sentence takes linear time', () => {
  expect(split('x'.repeat(1e6)).length).toBe(4_000)
  expect(split('x, '.repeat(1e6)).length).toBeGreaterThan(12_000)
  expect(split('Mr. '.repeat(3e5)).length).toBeGreaterThan(3_000)
})
