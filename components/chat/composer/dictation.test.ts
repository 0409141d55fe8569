import { expect, test } from 'vitest'
import { insertText } from '@/components/chat/composer/dictation'

const at = (start: number, end = start) => ({ start, end })

test.each([
  ['', at(0), 'Hello', 'Hello', 5],
  ['Tell me', at(7), ' about tides. ', 'Tell me about tides.', 20],
  ['Tell me ', at(8), 'more', 'Tell me more', 12],
  ['ab', at(1), 'x', 'a x b', 4],
  ['one three', at(4), 'two', 'one two three', 8],
  ['Why?', at(3), 'not', 'Why not?', 7],
  ['keep old words', at(5, 8), 'new', 'keep new words', 8],
])('%j at %j with %j is %j', (text, selection, words, wanted, caret) => {
  expect(insertText(text, selection, words)).toEqual({ text: wanted, caret })
})
