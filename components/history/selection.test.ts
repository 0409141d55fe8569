import { expect, test } from 'vitest'
import { rangeBetween } from '@/components/history/selection'

test('a Shift click chooses what lies between, in either direction', () => {
  expect(rangeBetween(['a', 'b', 'c', 'd'], 'b', 'd')).toEqual(['b', 'c', 'd'])
  expect(rangeBetween(['a', 'b', 'c', 'd'], 'd', 'b')).toEqual(['b', 'c', 'd'])
  expect(rangeBetween(['a', 'b'], undefined, 'b')).toEqual(['b'])
  expect(rangeBetween(['a', 'b'], 'gone', 'b')).toEqual(['b'])
  expect(rangeBetween(['a', 'b'], 'a', 'gone')).toEqual([])
})
