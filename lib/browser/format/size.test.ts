import { expect, test } from 'vitest'
import { formatLength, formatSize } from '@/lib/browser/format/size'

test('sizes and lengths read as people write them', () => {
  expect([999, 1_500, 999_400, 1_500_000, 25_000_000].map(formatSize)).toEqual([
    '999 bytes',
    '2 kB',
    '999 kB',
    '1.5 MB',
    '25 MB',
  ])
  expect([512, 1_400_000].map(formatSize)).toEqual(['512 bytes', '1.4 MB'])
  expect([400, 65_400, 3_661_000].map(formatLength)).toEqual(['0:00', '1:05', '1:01:01'])
  expect([4_000, 65_000, 3_605_000].map(formatLength)).toEqual(['0:04', '1:05', '1:00:05'])
})
