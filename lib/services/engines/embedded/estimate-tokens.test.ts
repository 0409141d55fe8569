import { expect, test } from 'vitest'
import { estimateTokens } from '@/lib/services/engines/embedded/estimate-tokens'

test.each([
  [
    'The capital of France is Paris. It lies on the Seine, and people have lived there for more than two thousand years. ',
    33,
    26,
  ],
  ['中国的首都是北京。它是世界上最大的城市之一，有着悠久的历史和丰富的文化。人们喜欢在公园里散步。', 32, 66],
  [
    "La capitale de la France est Paris. Elle se trouve sur la Seine, et l'on y vit depuis plus de deux mille ans.",
    46,
    29,
  ],
])('an ordinary text is not estimated below what it is: %s', (text, ...counts) => {
  expect(estimateTokens(text)).toBeGreaterThanOrEqual(Math.max(...counts) * 0.98)
})

test('nothing is nothing', () => {
  expect(estimateTokens('')).toBe(0)
})

// In quadratic time a megabyte takes longer than a test may.
test('a megabyte is estimated in one pass', () => {
  const text = 'words of a long text '
  expect(estimateTokens(text.repeat(50_000)) / 50_000).toBeCloseTo(estimateTokens(text.repeat(100)) / 100, 1)
})
