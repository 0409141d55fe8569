import { expect, test } from 'vitest'
import type { Line } from '@/lib/services/engines/embedded/task-protocol'
import { confidenceOf, pageText, sceneText } from '@/lib/services/engines/embedded/vision/ocr'

const LETTER = 10
const HEIGHT = 20

/** A line of `text`, where words are as far apart as its spaces are many. `~12` after a word is its confidence. */
function line(text: string, row = 0, confidence = 95): Line {
  return [...text.matchAll(/(\S+?)(?:~(\d+))?(?=\s|$)/g)].map(({ 1: word = '', 2: own, index }) => ({
    text: word,
    confidence: Number(own ?? confidence),
    left: index * LETTER,
    right: (index + word.length) * LETTER,
    top: row * 2 * HEIGHT,
    bottom: row * 2 * HEIGHT + HEIGHT,
  }))
}

const block = (...lines: string[]): Line[] => lines.map((text, row) => line(text, row))
const blockAt = (firstRow: number, ...lines: string[]): Line[] => lines.map((text, row) => line(text, firstRow + row))

test('blocks follow each other with a blank line between them, but not where one goes right on', () => {
  const blocks = [
    blockAt(0, 'First line', 'second line'),
    blockAt(2, 'third'),
    blockAt(4, 'After a gap'),
    blockAt(5, '        aside'),
  ]
  expect(pageText(blocks)).toBe('First line\nsecond line\nthird\n\nAfter a gap\n\naside')
})

test('columns of prose are read one after the other', () => {
  const columns = block(
    'Alpha is the first       Beta begins right here',
    'line of this one         and goes on below it',
    'and here it ends.        to the very end of it',
  )
  expect(pageText([columns])).toBe(
    'Alpha is the first\nline of this one\nand here it ends.\n\nBeta begins right here\nand goes on below it\nto the very end of it',
  )
})

test('the rows of a receipt stay together', () => {
  const receipt = block('Espresso            2.40', 'Orange juice        4.25', 'TOTAL               6.65')
  expect(pageText([receipt])).toBe('Espresso 2.40\nOrange juice 4.25\nTOTAL 6.65')
})

test('the rows of a table stay together', () => {
  const table = block(
    '20 Nov at 15:54 Atlas Large        -0.000130 10.999869 chat',
    '20 Nov at 15:54 Credit added      +10.000000 11.000000 fund',
    '20 Nov at 15:54 Credit added       +1.000000 1.000000 fund',
  )
  expect(pageText([table]).split('\n')[0]).toBe('20 Nov at 15:54 Atlas Large -0.000130 10.999869 chat')
})

test('icons that were taken for letters are dropped, unsure words beside sure ones are not', () => {
  expect(pageText([block('(4,~47 New chat', 'low 6h~20 12min~31', '—~12 |~40')])).toBe('New chat\nlow 6h 12min')
})

test('a picture in which something looks like letters has no text', () => {
  expect(pageText([block('RRR~37 SX~5 ae~42', 'Ta~30 sein~29 Tart~12 of~88')])).toBe('')
  expect(pageText([])).toBe('')
})

test('of a scene only words count that are sure and long', () => {
  expect(sceneText([block('STOP~96 J~96 ——~97', 'ees~23 4:~89')])).toBe('STOP')
})

test('confidence is weighed by length', () => {
  expect(confidenceOf([block('aaaa~90 b~40')])).toBe(80)
  expect(confidenceOf([])).toBe(0)
})
