import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createThinkSplitter, LEGACY_TAGS } from '@/lib/chat/thinking'

/** What a model said and thought when its text arrived in these pieces. */
function separate(pieces: string[], tags = LEGACY_TAGS) {
  const split = createThinkSplitter(tags)
  const events = [
    ...pieces.flatMap((text) => split({ type: 'text-delta', choice: 0, text })),
    ...split({ type: 'choice-end', choice: 0, reason: 'stop' }),
  ]
  const of = (type: string) =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
  return { said: of('text-delta'), thought: of('reasoning-delta'), last: events.at(-1)?.type }
}

test('thoughts are separated from the answer, and the line breaks around them go', () => {
  expect(separate(['<think>\nTwo and two.\n</think>\n\nFour.'])).toEqual({
    said: 'Four.',
    thought: '\nTwo and two.\n',
    last: 'choice-end',
  })
})

test('how the text was cut makes no difference', () => {
  const piece = fc.constantFrom('<think>', '</think>', '<thi', 'nk>', '</', 'a', ' ', '\n', '<', 'word')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat(40), { maxLength: 12 }), (parts, cuts) => {
      const text = parts.join('')
      const at = [0, ...new Set(cuts.map((cut) => Math.min(cut, text.length))), text.length].sort((a, b) => a - b)
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end))
      expect(separate(pieces)).toEqual(separate([text]))
    }),
    { numRuns: 2000 },
  )
})

test('a half tag at the end is text after all', () => {
  expect(separate(['7 <', 'thi'])).toMatchObject({ said: '7 <thi', thought: '' })
})

test('a model that starts inside its thoughts needs no opening tag', () => {
  expect(separate(['hm', '</thi', 'nk>yes'], { ...LEGACY_TAGS, startsOpen: true })).toMatchObject({
    said: 'yes',
    thought: 'hm',
  })
})
