import { expect, test } from 'vitest'
import { parseNumber } from '@/components/ui/form-fields'

const TEMPERATURE = { min: 0, max: 2, isWhole: false }

test.each([
  ['', undefined],
  ['  ', undefined],
  ['0', 0],
  ['0,7', 0.7],
  ['.5', 0.5],
  ['2', 2],
  ['2.1', 'none'],
  ['-1', 'none'],
  ['1e1', 'none'],
  ['much', 'none'],
])('reads a temperature of %j as %j', (text, value) => {
  expect(parseNumber(text, TEMPERATURE)).toBe(value)
})

test('a whole number is whole', () => {
  expect(parseNumber('1.5', { min: 1, max: 100, isWhole: true })).toBe('none')
  expect(parseNumber('64', { min: 1, max: 100, isWhole: true })).toBe(64)
})
