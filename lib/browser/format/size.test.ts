import { expect, test } from 'vitest'
import { formatSize } from '@/lib/browser/format/size'

test('sizes read as people write them', () => {
  expect([999, 1_500, 999_400, 1_500_000, 25_000_000].map(formatSize)).toEqual([
    '999 bytes',
    '2 kB',
    '999 kB',
    '1.5 MB',
    '25 MB',
  ])
  expect([512, 1_400_000].map(formatSize)).toEqual(['512 bytes', '1.4 MB'])
})
