import { beforeEach, expect, test, vi } from 'vitest'
import type { ApiError } from '@/lib/contract/errors'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { testCaller, testContext } from '@/lib/services/identity/testing'
import { createSharedPlaces, enter } from '@/lib/services/limits/concurrency'

beforeEach(() => {
  for (const name of ['limits', 'concurrency']) resetPerProcess(name)
})

const refusalIn = (entering: Promise<unknown>): Promise<ApiError> =>
  entering.then(
    () => expect.fail('nothing was refused'),
    (error: ApiError) => error,
  )

test('a key has 50 places for requests under way, and a place that is given back is free again', async () => {
  const caller = testCaller()
  const places = await Promise.all(Array.from({ length: 50 }, () => enter(testContext(), caller)))
  const context = testContext()
  expect(await refusalIn(enter(context, caller))).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 2 })
  expect(context.facts.rateLimitType).toBe('api_key')
  places[0]!()
  places[0]!()
  const retry = await enter(testContext(), caller)
  expect((await refusalIn(enter(testContext(), caller))).status).toBe(429)
  for (const leave of [...places, retry]) leave()
})

test('a wallet has 5 places and its own code, an address has 100 over all its callers', async () => {
  const wallet = testCaller({ kind: 'wallet', via: { type: 'session', sessionId: 's' } })
  for (let n = 0; n < 5; n++) await enter(testContext(), wallet)
  expect((await refusalIn(enter(testContext(), wallet))).code).toBe('X402_CONCURRENCY_LIMIT')
  const clientAddress = '192.0.2.7'
  for (let n = 0; n < 100; n++) await enter(testContext({ clientAddress }), testCaller())
  const caller = testCaller()
  expect((await refusalIn(enter(testContext({ clientAddress }), caller))).code).toBe('RATE_LIMIT_EXCEEDED')
  // What was refused for its address keeps no place of its key.
  const elsewhere = Array.from({ length: 50 }, () => enter(testContext(), caller))
  expect(await Promise.all(elsewhere)).toHaveLength(50)
})

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
