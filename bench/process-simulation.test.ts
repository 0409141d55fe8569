import { expect, test } from 'vitest'
import { type Offer, simulate } from '@/bench/process-simulation'

const COSTS = {
  lease: { baseUs: 200, rowUs: 50, waitUs: 1_000 },
  settle: { baseUs: 300, rowUs: 100, waitUs: 1_000 },
}
const offer = (more: Partial<Offer> = {}): Offer => ({
  processes: 4,
  perSecondOfEach: 500,
  accounts: 1_000,
  databaseCores: 4,
  leasedMs: 2_000,
  ...more,
})

test('a database with time to spare writes what arrives, and is as busy as its statements say', () => {
  const { perSecond, busy, statementsPerSecond, refused } = simulate(COSTS, offer())
  expect(perSecond).toBeCloseTo(2_000, -2)
  expect(refused).toBe(0)
  // Each process writes twenty times a second; each of its accounts asks every two seconds or a little later.
  expect(statementsPerSecond).toBeGreaterThan(4 * 20)
  const writing = (2_000 * 100 + 4 * 20 * 300) / 1_000_000 / 4
  expect(busy).toBeGreaterThan(writing)
  expect(busy).toBeLessThan(3 * writing)
})

test('a database that is full writes as much as it can, and the rest is refused', () => {
  const { perSecond, busy, refused } = simulate(COSTS, offer({ processes: 64, perSecondOfEach: 2_000 }))
  expect(busy).toBeGreaterThan(0.98)
  expect(perSecond).toBeLessThan(4 * 10_000)
  expect(refused).toBeGreaterThan(0.1)
})

test('requests that ask one by one take more of the database than those that share a lease', () => {
  const leased = simulate(COSTS, offer())
  const alone = simulate(COSTS, offer({ leasedMs: 0 }))
  expect(alone.perSecond).toBeCloseTo(leased.perSecond, -2)
  expect(alone.busy).toBeGreaterThan(leased.busy)
})
