import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginningOf, MAX_PASSAGES, splitPassages } from '@/lib/services/web/passages'

const sentence = 'The tide comes in twice a day and goes out again. '

test('a short text is one passage', () => {
  expect(splitPassages('  The tide.  ')).toEqual(['The tide.'])
  expect(splitPassages(' \n ')).toEqual([])
})

test('passages end with paragraphs where they can', () => {
  const paragraph = sentence.repeat(12).trim()
  expect(splitPassages([paragraph, paragraph, paragraph].join('\n\n'))).toEqual([paragraph, paragraph, paragraph])
})

test('long paragraphs are cut between sentences', () => {
  const passages = splitPassages(sentence.repeat(100))
  for (const passage of passages) expect(passage).toMatch(/^The tide.*again\.$/)
  for (const passage of passages.slice(0, -1)) expect(passage.length).toBeGreaterThan(600)
})

test('scripts without blanks are cut at their full stops', () => {
  const passages = splitPassages('潮は一日に二度満ちて、また引いていく。'.repeat(200))
  for (const passage of passages) expect(passage).toMatch(/。$/)
})

test('no passage is longer than the bound, none is empty, and no word is lost', () => {
  const word = fc.constantFrom('tide', 'sea.', '🌊', '\n', '\n\n', 'x'.repeat(300), '。', '!')
  fc.assert(
    fc.property(fc.array(word, { maxLength: 120 }), fc.integer({ min: 50, max: 900 }), (words, max) => {
      const text = words.join(' ')
      const passages = splitPassages(text, max)
      for (const passage of passages) {
        expect(passage.length).toBeGreaterThan(0)
        expect(passage.length).toBeLessThanOrEqual(max)
        expect(passage.isWellFormed()).toBe(true)
      }
      if (passages.length < MAX_PASSAGES) {
        expect(passages.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
      }
    }),
    { numRuns: 500 },
  )
})

// Where each passage looked at all that follows it, any of these would take longer than a test may: they are that long.
test.each([
  ['without a border', 'a', 80_000_000],
  ['of sentences that never end', '."', 60_000_000],
  ['of nothing but ends of sentences', '." ', 12_000_000],
])('a text %s, of tens of megabytes, makes a bounded number of passages', (_, unit, length) => {
  expect(splitPassages(unit.repeat(length / unit.length))).toHaveLength(MAX_PASSAGES)
})

test('a beginning ends with a whole sentence', () => {
  expect(beginningOf(sentence.repeat(3), 70)).toBe(sentence.trim())
  expect(beginningOf('tide', 70)).toBe('tide')
})
