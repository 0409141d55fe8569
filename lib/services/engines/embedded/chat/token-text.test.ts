import { expect, test } from 'vitest'
import { TokenText } from '@/lib/services/engines/embedded/chat/choice-writer'

const bytesToText = (tokens: number[]) => new TextDecoder().decode(Uint8Array.from(tokens))

test('characters that several tokens make up are given out whole', () => {
  const text = new TokenText(bytesToText)
  expect([...Buffer.from('aé😀b')].map((byte) => text.push(byte))).toEqual(['a', '', 'é', '', '', '', '😀', 'b'])
})

test('bytes that never become a character do not hold up the text for good', () => {
  const text = new TokenText(bytesToText)
  const shown = Array.from({ length: 20 }, () => text.push(0xff)).join('')
  expect(shown).not.toBe('')
})

test('half a character at the end is left out', () => {
  const text = new TokenText(bytesToText)
  expect([...Buffer.from('aé😀').subarray(0, 5)].map((byte) => text.push(byte)).join('')).toBe('aé')
  expect(text.flush()).toBe('')
})
