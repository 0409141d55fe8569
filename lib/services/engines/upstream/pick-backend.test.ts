import { expect, test } from 'vitest'
import { recordOutcome } from '@/lib/kernel/circuit-breaker'
import {
  type Backend,
  newBackend,
  pickBackend,
  recordEnd,
  recordStart,
} from '@/lib/services/engines/upstream/pick-backend'

const three = () => ['a', 'b', 'c'].map((name) => newBackend(`http://${name}`))
const NOBODY: ReadonlySet<Backend> = new Set()
const pick = (backends: Backend[], more: { cacheKey?: string; tried?: ReadonlySet<Backend>; now?: number } = {}) =>
  pickBackend(backends, { tried: NOBODY, now: 0, ...more })

const fail = (backend: Backend, times: number, now = 0) => {
  for (let time = 0; time < times; time++) recordOutcome(backend, 'failed', now)
}

test('the least loaded serves', () => {
  const backends = three()
  backends[0]!.inFlight = 2
  backends[1]!.inFlight = 1
  backends[2]!.inFlight = 3
  expect(pick(backends)).toBe(backends[1])
})

test('one that was tried is passed over while there is another', () => {
  const backends = three().slice(0, 2)
  expect(pick(backends, { tried: new Set([backends[0]!]) })).toBe(backends[1])
  expect(backends).toContain(pick(backends, { tried: new Set(backends) }))
})

test('a cache key stays with its base URL when another goes away', () => {
  const backends = three()
  const keys = Array.from({ length: 60 }, (_, index) => `account:${index}`)
  const homes = keys.map((cacheKey) => pick(backends, { cacheKey }))
  for (const backend of backends) expect(homes.filter((home) => home === backend).length).toBeGreaterThan(8)
  const gone = backends[0]!
  fail(gone, 3)
  for (const [index, cacheKey] of keys.entries()) {
    const home = pick(backends, { cacheKey })
    if (homes[index] === gone) expect(home).not.toBe(gone)
    else expect(home).toBe(homes[index])
  }
})

test('a cache key leaves a base URL that is far more loaded than the others', () => {
  const backends = three()
  const home = pick(backends, { cacheKey: 'k' })
  home.inFlight = 8
  expect(pick(backends, { cacheKey: 'k' })).toBe(home)
  home.inFlight = 9
  expect(pick(backends, { cacheKey: 'k' })).not.toBe(home)
})

test('three failures in a row rest a base URL; two do not', () => {
  const [one, two] = three() as [Backend, Backend]
  two.inFlight = 5
  fail(one, 2)
  recordOutcome(one, 'answered', 0)
  fail(one, 2)
  expect(pick([one, two])).toBe(one)
  fail(one, 1)
  expect(pick([one, two])).toBe(two)
})

test('after its rest a single request tries it, and its outcome decides', () => {
  const [one, two] = three() as [Backend, Backend]
  two.inFlight = 5
  fail(one, 3)
  expect(pick([one, two], { now: 2_000 })).toBe(one)
  recordStart(one)
  expect(pick([one, two], { now: 2_000 })).toBe(two)
  recordEnd(one)
  recordOutcome(one, 'failed', 2_000)
  // The second rest is twice as long.
  expect(pick([one, two], { now: 3_400 })).toBe(two)
  expect(pick([one, two], { now: 5_000 })).toBe(one)
  recordOutcome(one, 'answered', 5_000)
  recordStart(one)
  expect(pick([one, two], { now: 5_000 })).toBe(one)
})

test('a probe whose caller left does not block the next one', () => {
  const [one, two] = three() as [Backend, Backend]
  two.inFlight = 5
  fail(one, 3)
  recordStart(one)
  recordEnd(one)
  recordOutcome(one, 'unknown', 2_000)
  expect(pick([one, two], { now: 2_000 })).toBe(one)
})

test('when all rest, all count', () => {
  const backends = three()
  for (const backend of backends) fail(backend, 10)
  expect(backends).toContain(pick(backends))
})
