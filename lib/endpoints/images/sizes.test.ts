import { expect, test } from 'vitest'
import { STYLE_NAMES, styled } from '@/lib/contract/images.schema'
import { nearestRatio, ratioOf, sizeOfRatio, sizeWithin } from '@/lib/endpoints/images/sizes'

test.each([
  ['16:9', 16 / 9],
  ['1:1', 1],
  ['2:3', 2 / 3],
  ['1:9', undefined],
  ['0:1', undefined],
  ['1:0', undefined],
  ['wide', undefined],
  ['1:1:1', undefined],
])('%s', (text, ratio) => {
  expect(ratioOf(text)).toEqual(ratio)
})

test.each([
  ['1:1', '1K', 1_024, 1_024],
  ['3:2', '1K', 1_536, 1_024],
  ['16:9', undefined, 1_792, 1_024],
  ['9:16', '2K', 2_048, 3_584],
  ['1:1', '4K', 4_096, 4_096],
  ['1:1', 'huge', 1_024, 1_024],
])('%s at %s is a size that engines take', (ratio, resolution, width, height) => {
  const size = sizeOfRatio(ratioOf(ratio)!, resolution)
  expect([size.width, size.height].toSorted()).toEqual([width, height].toSorted())
  expect(size.width >= size.height).toBe(ratioOf(ratio)! >= 1)
})

test('a size within a bound keeps to the divisor and is never nothing', () => {
  expect(sizeWithin(16 / 9, 1_280, 8)).toEqual({ width: 1_280, height: 720 })
  expect(sizeWithin(1 / 8, 100, 64)).toEqual({ width: 64, height: 64 })
})

test('the nearest ratio is by shape, and `auto` is none', () => {
  expect(nearestRatio(['auto', '1:1', '3:2', '2:3'], { width: 1_792, height: 1_024 })).toBe('3:2')
  expect(nearestRatio(['auto'], { width: 1, height: 1 })).toBeUndefined()
})

test('a style keeps the prompt word for word, and what was to be kept away', () => {
  const prompt = 'a $& sign and {prompt}'
  for (const style of STYLE_NAMES) expect(styled(prompt, undefined, style).prompt).toContain(prompt)
  expect(styled('a cat', 'fog', 'Anime').negativePrompt).toMatch(/^fog, \w/)
  expect(styled('a cat', undefined, undefined)).toEqual({ prompt: 'a cat', negativePrompt: undefined })
})
