import { expect, test } from 'vitest'
import { spokenPieces } from '@/components/chat/voice/read-aloud'

test('the first piece is one sentence, the others are gathered', () => {
  const pieces = spokenPieces('First one. Second one. Third one.')
  expect(pieces).toEqual(['First one.', 'Second one. Third one.'])
})

test('marks, code, sources and addresses are not read', () => {
  const text = [
    '# Tides',
    'The **moon** pulls [REF]0[/REF] the `sea`, says [a page](https://example.org/x).',
    '```js\nconst secret = 1\n```',
    'See https://example.org/y now.',
    '| a | b |\n|---|---|\n| 1 | 2 |',
  ].join('\n\n')
  const said = spokenPieces(text).join(' ')
  expect(said).toContain('Tides')
  expect(said).toContain('The moon pulls the sea, says a page.')
  expect(said).not.toMatch(/secret|http|\*|`|REF|\|/)
})

test('code that was never closed is not read, and nothing to say is no piece', () => {
  expect(spokenPieces('Look:\n```js\nconst a = 1')).toEqual(['Look:'])
  expect(spokenPieces('```\nx\n```')).toEqual([])
  expect(spokenPieces('***')).toEqual([])
})

test('pieces fit what the interface takes, however long a sentence or an answer is', () => {
  const pieces = spokenPieces(`${'word '.repeat(2_000)}. ${'Next one. '.repeat(20_000)}`)
  expect(pieces.length).toBeLessThanOrEqual(400)
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(4_000)
})
