import { expect, test, vi } from 'vitest'
import { createFailureBudget } from '@/lib/services/limits/failed-requests'

const A = { name: 'key:a' }
const SETTINGS = { count: 20, windowSeconds: 30, blockSeconds: 30 }

function budget(settings = SETTINGS) {
  const clock = { nowMs: 1_000_000 }
  return {
    clock,
    ...createFailureBudget(
      () => settings,
      undefined,
      () => clock.nowMs,
    ),
  }
}

test('20 failures in 30 s are allowed, the 21st blocks for 30 s', () => {
  const { clock, recordFailure, assertNotBlocked, isBlocked } = budget()
  const onBlocked = vi.fn()
  for (let n = 0; n < 20; n++) recordFailure(A, 400, true, onBlocked)
  assertNotBlocked(A)
  expect(onBlocked).not.toHaveBeenCalled()
  recordFailure(A, 400, true, onBlocked)
  expect(onBlocked).toHaveBeenCalledOnce()
  clock.nowMs += 12_400
  expect(() => assertNotBlocked(A)).toThrow(
    expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 18 }),
  )
  expect(isBlocked({ name: 'key:b' })).toBe(false)
  clock.nowMs += 17_600
  assertNotBlocked(A)
})

test('failures that lie further apart never block', () => {
  const { clock, recordFailure, isBlocked } = budget()
  for (let n = 0; n < 500; n++) {
    recordFailure(A, 404, true)
    clock.nowMs += 1_501
  }
  expect(isBlocked(A)).toBe(false)
})

test('the 30 s slide: a burst over the turn of a minute blocks', () => {
  const { clock, recordFailure, isBlocked } = budget()
  clock.nowMs = 59_000
  for (let n = 0; n < 11; n++) recordFailure(A, 400, true)
  clock.nowMs = 61_000
  for (let n = 0; n < 10; n++) recordFailure(A, 400, true)
  expect(isBlocked(A)).toBe(true)
})

test.each([
  [200, true, false],
  [204, true, false],
  [400, true, true],
  [401, false, true],
  [402, false, false],
  [402, true, true],
  [403, true, true],
  [404, true, true],
  [429, true, false],
  [500, true, false],
  [503, true, false],
])('status %d with credentials %s counts: %s', (status, hadCredentials, counts) => {
  const { recordFailure, isBlocked } = budget()
  for (let n = 0; n < 30; n++) recordFailure(A, status, hadCredentials)
  expect(isBlocked(A)).toBe(counts)
})

test('after a block the count starts anew', () => {
  const { clock, recordFailure, isBlocked } = budget()
  for (let n = 0; n < 40; n++) recordFailure(A, 400, true)
  clock.nowMs += 30_000
  for (let n = 0; n < 20; n++) recordFailure(A, 400, true)
  expect(isBlocked(A)).toBe(false)
})

test('a count of 0 switches the budget off', () => {
  const { recordFailure, isBlocked } = budget({ ...SETTINGS, count: 0 })
  for (let n = 0; n < 100; n++) recordFailure(A, 400, true)
  expect(isBlocked(A)).toBe(false)
})

test('several callers may share a budget that is as many times larger', () => {
  const { recordFailure, isBlocked } = budget()
  const office = { name: 'wallets:192.0.2.1', times: 5 }
  for (let n = 0; n < 100; n++) recordFailure(office, 400, true)
  expect(isBlocked(office)).toBe(false)
  recordFailure(office, 400, true)
  expect(isBlocked(office)).toBe(true)
})
