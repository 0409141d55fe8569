import { expect, test } from 'vitest'
import { formatLength, formatSeconds } from '@/lib/browser/format/duration'

test('seconds have one decimal below ten', () => {
  expect([300, 1_234, 9_949, 9_950, 65_000].map(formatSeconds)).toEqual(['0.3 s', '1.2 s', '9.9 s', '10 s', '65 s'])
})

test('lengths read as players show them', () => {
  expect([400, 65_400, 3_661_000].map(formatLength)).toEqual(['0:00', '1:05', '1:01:01'])
  expect([4_000, 65_000, 3_605_000].map(formatLength)).toEqual(['0:04', '1:05', '1:00:05'])
})
