import { expect, test } from 'vitest'
import { phonemesOf } from '@/lib/engines/embedded/english-phonemes'

test('words are said with their stress before the vowel, small ones without, and punctuation stays', () => {
  expect(phonemesOf('Hello world, it is the ocean!', 'en-US')).toBe('həlˈO wˈɜɹld, ɪt ɪz ði ˈOʃən!')
})

test('accents differ', () => {
  expect(phonemesOf('No water for the doctor', 'en-US')).toBe('nˈO wˈɔɾəɹ fɔɹ ðə dˈɑktəɹ')
  expect(phonemesOf('No water for the doctor', 'en-GB')).toBe('nˈQ wˈɔːtə fɔː ðə dˈɒktə')
})

test('short forms are said as they are', () => {
  expect(phonemesOf("I don't, it isn’t.", 'en-US')).toBe('ˈI dˈOnt, ɪt ˈɪzənt.')
})

test('capitals are spelled, unless all is in capitals', () => {
  expect(phonemesOf('two APIs', 'en-US')).toBe('tˈu ˈApˈiˈIz')
  expect(phonemesOf('WHAT IS THIS', 'en-US')).toBe(phonemesOf('what is this', 'en-US'))
})

test.each(['', '***', '中文', '🌊!?', '...'])('%j has nothing to say', (text) => {
  expect(phonemesOf(text, 'en-US')).toBe('')
})

test('nonsense takes no time to speak of', () => {
  const startedAt = performance.now()
  for (const text of ['x'.repeat(250), 'xq '.repeat(80), '9'.repeat(250), "a'".repeat(125)]) phonemesOf(text, 'en-US')
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})
