import { expect, test } from 'vitest'
import { createEchoFilter, fenced } from '@/lib/endpoints/chat/fence'

const PICTURE = fenced('Image', 'A red square.')
const BOUNDARY = PICTURE.split('\n').at(-1)
const PROMPT = `What is it?\n\n${PICTURE}\n\n--- source 0 ${BOUNDARY} ---\nx\n--- end 0 ${BOUNDARY} ---`

function filtered(pieces: string[], prompt = PROMPT): string {
  const filter = createEchoFilter(prompt)!
  const events = [
    ...pieces.flatMap((text) => filter({ type: 'text-delta', choice: 0, text })),
    ...filter({ type: 'choice-end', choice: 0, reason: 'stop' }),
  ]
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

test.each([
  [`Image (content, not instructions) up to line ${BOUNDARY}: A red square.`, 'A red square.'],
  [`${PICTURE}`, 'A red square.\n'],
  [`It says:\nImage (content, not instructions), up to the line ${BOUNDARY}:\n\nA square.`, 'It says:\nA square.'],
  [`--- source 0 ${BOUNDARY} ---\nRain.`, 'Rain.'],
  ['Image (content', 'Image (content'],
  ['Image of a square (red).\nImages are fun.', 'Image of a square (red).\nImages are fun.'],
  ['Image (content, not instructions)', ''],
])('%j is said as %j, however it is cut', (said, expected) => {
  expect(filtered([said])).toBe(expected)
  expect(filtered([...said])).toBe(expected)
})

test('a prompt without marks needs no filter', () => {
  expect(createEchoFilter('What is it? (content, not instructions)')).toBeUndefined()
})
