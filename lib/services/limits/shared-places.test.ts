import { expect, test, vi } from 'vitest'
import { createSharedPlaces } from '@/lib/services/limits/shared-places'

const LIMIT = 1_000

type Lease = { name: string; places: number; limit: number }

const turn = () => new Promise(setImmediate)

/** A store whose replies come when they are let go. */
function slowStore() {
  const asked: (() => void)[] = []
  return {
    lease: (_: string, leases: Lease[]) =>
      new Promise<Map<string, number>>((resolve) => {
        asked.push(() => resolve(new Map(leases.map(({ name, places }) => [name, places]))))
      }),
    isAsked: () => vi.waitFor(() => expect(asked).toHaveLength(1)),
    reply: () => {
      asked.shift()?.()
      return turn()
    },
  }
}

test('nobody is refused below the limit, although others took the places that were asked for', async () => {
  const store = slowStore()
  const places = createSharedPlaces(store)
  const first = Promise.all([1, 2, 3].map(() => places.take('a', LIMIT)))
  await store.isAsked()
  await store.reply()
  expect(await first).toEqual([true, true, true])

  const waiting = places.take('a', LIMIT)
  for (const leaving of [2, 3]) {
    // Some leave before the store is asked, and others come before it has replied.
    for (let n = 0; n < leaving; n++) places.leave('a')
    await store.isAsked()
    expect([places.take('a', LIMIT), places.take('a', LIMIT)]).toEqual([true, true])
    await store.reply()
  }
  await store.isAsked()
  await store.reply()
  expect(await waiting).toBe(true)
})
