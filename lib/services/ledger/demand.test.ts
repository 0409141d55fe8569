import { expect, test } from 'vitest'
import { nano } from '@/lib/contract/money'
import { createDemand } from '@/lib/services/ledger/demand'

test('is what was asked for in a second, and forgotten after it', () => {
  const demand = createDemand()
  for (let at = 0; at < 4_000; at++) demand.add(nano(10n), at)
  expect(Number(demand.recent(4_000))).toBeGreaterThan(9_000)
  expect(Number(demand.recent(4_000))).toBeLessThanOrEqual(10_080)
  expect(demand.recent(6_100)).toBe(0n)
})

test('is nothing before anything was asked for', () => {
  expect(createDemand().recent(5)).toBe(0n)
})
