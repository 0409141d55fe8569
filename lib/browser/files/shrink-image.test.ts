import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitWithin, sizeRefusal } from '@/lib/browser/files/shrink-image'

test.each([
  [4_032, 3_024, 2_048, 1_536],
  [3_024, 4_032, 1_536, 2_048],
  [2_048, 100, 2_048, 100],
  [800, 600, 800, 600],
  [10_000, 10, 2_048, 2],
])('%i × %i becomes %i × %i', (width, height, smallWidth, smallHeight) => {
  expect(fitWithin({ width, height }, 2_048)).toEqual({ width: smallWidth, height: smallHeight })
})

test('no picture grows, gets longer than the bound or vanishes, and its shape stays', () => {
  const side = fc.integer({ min: 1, max: 30_000 })
  fc.assert(
    fc.property(side, side, (width, height) => {
      const small = fitWithin({ width, height }, 2_048)
      expect(Math.max(small.width, small.height)).toBeLessThanOrEqual(2_048)
      expect(small.width).toBeLessThanOrEqual(width)
      expect(Math.min(small.width, small.height)).toBeGreaterThanOrEqual(1)
      const scale = Math.min(1, 2_048 / Math.max(width, height))
      expect(Math.abs(small.width - width * scale)).toBeLessThanOrEqual(1)
      expect(Math.abs(small.height - height * scale)).toBeLessThanOrEqual(1)
    }),
  )
})

test.each([
  [63, 500, /63 × 500/],
  [500, 63, /at least 64 pixels per side/],
  [64, 64, undefined],
  [8_000, 5_001, /40 megapixels/],
  [8_000, 5_000, undefined],
])('%i × %i is refused as it should be', (width, height, reason) => {
  if (reason) expect(sizeRefusal({ width, height })).toMatch(reason)
  else expect(sizeRefusal({ width, height })).toBeUndefined()
})
