import { expect, test } from 'vitest'
import { meanUnitVector } from '@/lib/services/engines/embedded/embeddings/pool-vectors'

test('the mean of all vectors, at length 1', () => {
  expect(meanUnitVector(Float32Array.of(6, 0, 0, 8), 2)).toEqual(Float32Array.of(0.6, 0.8))
})

test('nothing stays nothing and is no NaN', () => {
  expect(meanUnitVector(new Float32Array(4), 2)).toEqual(new Float32Array(2))
})
