import { describe, expect, test } from 'vitest'
import { StopFilter } from '@/lib/services/engines/embedded/chat/choice-writer'

function shown(stops: string[], pieces: string[]): { text: string; isStopped: boolean } {
  const filter = new StopFilter(stops)
  let text = ''
  for (const piece of pieces) {
    const filtered = filter.push(piece)
    text += filtered.text
    if (filtered.isStopped) return { text, isStopped: true }
  }
  return { text: text + filter.flush(), isStopped: false }
}

describe('stop strings', () => {
  test.each([
    ['within a piece', ['END'], ['before END after'], 'before '],
    ['over several pieces', ['END'], ['before E', 'N', 'D after'], 'before '],
    ['one letter at a time', ['END'], [...'before END after'], 'before '],
    ['at the very start', ['END'], ['E', 'ND'], ''],
    ['after a false start', ['aab'], ['a', 'a', 'a', 'b'], 'a'],
    ['the first of two, whichever was named first', ['two', 'one'], ['zero one two'], 'zero '],
    ['one that begins as the other does', ['abcd', 'bc'], ['xab', 'c'], 'xa'],
  ])('end the text %s', (_, stops, pieces, text) => {
    expect(shown(stops, pieces)).toEqual({ text, isStopped: true })
  })

  test('that never come leave the text whole, with what was held back', () => {
    expect(shown(['END'], ['an E', 'N'])).toEqual({ text: 'an EN', isStopped: false })
  })

  test('hold back no more than may be their beginning', () => {
    expect(new StopFilter(['END']).push('text E').text).toBe('text ')
    expect(new StopFilter(['END']).push('text Ex').text).toBe('text Ex')
  })

  test('that are empty stop nothing', () => {
    expect(shown([''], ['text'])).toEqual({ text: 'text', isStopped: false })
  })
})
