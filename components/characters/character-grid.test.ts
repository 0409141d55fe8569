import { expect, test } from 'vitest'
import { stepOf } from '@/components/characters/character-grid'

const from = (at: number, key: string, isRtl = false) => stepOf(key, { at, count: 11, columns: 4, isRtl })

test('arrows go to the neighbour, and stay inside', () => {
  expect([from(0, 'ArrowRight'), from(5, 'ArrowLeft'), from(1, 'ArrowDown'), from(9, 'ArrowUp')]).toEqual([1, 4, 5, 5])
  expect([from(0, 'ArrowLeft'), from(10, 'ArrowRight'), from(2, 'ArrowUp'), from(9, 'ArrowDown')]).toEqual([
    0, 10, 2, 9,
  ])
})

test('down from above the end of the last row leads to the last card', () => {
  expect(from(7, 'ArrowDown')).toBe(10)
})

test('pages, the beginning and the end', () => {
  expect([from(1, 'PageDown'), from(10, 'PageUp'), from(6, 'Home'), from(1, 'End')]).toEqual([10, 2, 0, 10])
})

test('where people read from the right, the arrows still lead where they point', () => {
  expect([from(1, 'ArrowRight', true), from(1, 'ArrowLeft', true)]).toEqual([0, 2])
})

test('other keys, and a grid without cards, lead nowhere', () => {
  expect(from(1, 'Enter')).toBeUndefined()
  expect(stepOf('End', { at: 0, count: 0, columns: 4, isRtl: false })).toBeUndefined()
})
