import { expect, test } from 'vitest'
import { spokenWords } from '@/lib/services/engines/embedded/speech/english-phonemes'

test.each([
  ['42 of 1,234,567', 'forty two of one million two hundred thirty four thousand five hundred sixty seven'],
  ['0 007', 'zero zero zero seven'],
  ['3.14', 'three point one four'],
  ['the 21st, 12th, 20th and 3rd', 'the twenty first, twelfth, twentieth and third'],
  [
    '1999, 1905, 1900, 2000, 2005, 2024',
    'nineteen ninety nine, nineteen oh five, nineteen hundred, two thousand, two thousand five, twenty twenty four',
  ],
  ['the 1990s', 'the nineteen nineties'],
  ['$1, $5.50 and £2', 'one dollar, five dollars and fifty cents and two pounds'],
  ['at 10:30, 9:05 and 7:00', "at ten thirty, nine oh five and seven o'clock"],
  ['7pm', 'seven P M'],
  ['50% of 5 km at -5°C', 'fifty percent of five kilometers at minus five degrees Celsius'],
  ['5-10 apples & #1', 'five to ten apples and number one'],
  ['Dr. Smith’s café', "Dr Smith's cafe"],
  ['OpenAI on https://www.example.com', 'Open AI on example.com'],
  [
    '12345678901234567890',
    'one two three four five six seven eight nine zero one two three four five six seven eight nine zero',
  ],
])('%s is said: %s', (text, words) => {
  expect(spokenWords(text)).toBe(words)
})

// So long that a rule of quadratic time takes minutes, more than a test may.
test.each(['1', '1,', '$1.', '1 ', '-', 'aB'])('nonsense takes linear time: %s', (unit) => {
  expect(spokenWords(unit.repeat(200_000 / unit.length))).not.toBe('')
})
