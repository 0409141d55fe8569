import { expect, test } from 'vitest'
import { phonemesOf } from '@/lib/services/engines/embedded/speech/english-phonemes'

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

// The dictionary takes quadratic time for a word: two seconds for a sixth of these, and longer than a test may for all.
test.each(['x'.repeat(100_000), "a'".repeat(50_000)])('a word without end is not looked up (%#)', (word) => {
  expect(phonemesOf(word, 'en-US')).toBe(phonemesOf(word.slice(0, 1_000), 'en-US'))
})

// Each of these costs the twentieth part of a millisecond and more: in quadratic time they take minutes.
test.each([
  ['xq ', /^$/],
  ['9', /^nˈIn nˈIn /],
])('nonsense is said in linear time: %s', (unit, said) => {
  expect(phonemesOf(unit.repeat(3_000), 'en-US')).toMatch(said)
})
