import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Listed, SwapRemoveList } from '@/lib/kernel/swap-remove-list'

type Thing = Listed & { name: number }

test('holds what was added and not taken out since, whatever the order', () => {
  const steps = fc.array(fc.record({ name: fc.nat({ max: 9 }), comes: fc.boolean() }), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (list) => {
      const bag = new SwapRemoveList<Thing>()
      const expected = new Set<Thing>()
      const things: Thing[] = Array.from({ length: 10 }, (_, name) => ({ name }))
      for (const { name, comes } of list) {
        const thing = things[name]!
        if (comes) {
          bag.add(thing)
          expected.add(thing)
        } else {
          bag.delete(thing)
          expected.delete(thing)
        }
      }
      expect(bag.size).toBe(expected.size)
      expect(new Set(bag)).toEqual(expected)
    }),
  )
})

test('visits nobody who has left meanwhile', () => {
  const bag = new SwapRemoveList<Thing>()
  const things: Thing[] = Array.from({ length: 6 }, (_, name) => ({ name }))
  for (const thing of things) bag.add(thing)
  const visited: number[] = []
  for (const thing of bag) {
    visited.push(thing.name)
    bag.delete(thing)
    bag.delete(things[(thing.name + 1) % things.length]!)
    bag.delete(things[0]!)
  }
  expect(bag.size).toBe(0)
  expect(visited).not.toContain(0)
  expect(new Set(visited).size).toBe(visited.length)
})
