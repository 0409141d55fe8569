import { expect, test } from 'vitest'
import { withQuestion } from '@/components/chat/next/next-questions'
import { keepNext, nextOf } from '@/components/chat/next/next-store'

test.each([
  ['', 'Why twice?'],
  ['  \n', 'Why twice?'],
  ['Mine', 'Mine\n\nWhy twice?'],
  ['Mine\n', 'Mine\n\nWhy twice?'],
  ['Mine\n\nWhy twice?', 'Mine\n\nWhy twice?'],
])('what is written in %j stays, and the question comes after it, once', (draft, written) => {
  expect(withQuestion(draft, 'Why twice?')).toBe(written)
})

test('questions of many answers are not kept for ever, and what came to nothing is gone', () => {
  for (let at = 0; at < 100; at++) keepNext(`answer-${at}`, ['Why?'])
  expect(nextOf('answer-0')).toBeUndefined()
  expect(nextOf('answer-99')).toEqual(['Why?'])
  keepNext('answer-99')
  expect(nextOf('answer-99')).toBeUndefined()
})
