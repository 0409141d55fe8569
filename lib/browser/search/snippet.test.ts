import fc from 'fast-check'
import { expect, test } from 'vitest'
import { snippetOf } from '@/lib/browser/search/snippet'
import { termsOf } from '@/lib/browser/search/word-index'

const shown = (text: string, query: string) =>
  snippetOf(text, termsOf(query))
    .map((piece) => (piece.isMark ? `[${piece.text}]` : piece.text))
    .join('')

test('marks the beginnings of words, whatever their accents', () => {
  expect(shown('Un café, des cafés\n et Décaféiné', 'cafe')).toBe('Un [café], des [café]s et Décaféiné')
})

test('begins near the first mark', () => {
  const text = `${'word '.repeat(100)}the tide turns ${'rest '.repeat(100)}`
  expect(shown(text, 'tide')).toMatch(/^… (word )+the \[tide\] turns (rest )+.*…$/)
  expect(shown(text, 'tide').length).toBeLessThan(190)
})

test('marks inside a script without spaces', () => {
  expect(shown('今天天气很好', '天气')).toBe('今天[天气]很好')
})

test('shows the beginning where nothing is found', () => {
  expect(shown('Hello there', 'zebra')).toBe('Hello there')
})

test('never throws and never makes up words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.string({ maxLength: 6 }), (text, query) => {
      const joined = snippetOf(text, termsOf(query))
        .map((piece) => piece.text)
        .join('')
      expect(text.replace(/\s+/g, ' ').trim()).toContain(joined.replace(/^… | …$/g, '').trim())
    }),
    { numRuns: 300 },
  )
})
