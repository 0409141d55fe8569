import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '@/lib/db/database'
import { sweepNowAndThen } from '@/lib/endpoints/rpc/idempotency'
import { resetPerProcess } from '@/lib/kernel/per-process'

const MINUTE_MS = 60_000

beforeEach(() => {
  resetPerProcess('rpc-reply-sweep')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  resetPerProcess('rpc-reply-sweep')
})

function databaseWith(...swept: (number | Error)[]) {
  const statements: unknown[] = []
  const query = (_: string, values?: unknown[]) => {
    statements.push(values)
    const next = swept.shift() ?? 0
    return next instanceof Error ? Promise.reject(next) : Promise.resolve([{ swept: next }])
  }
  return { statements, open: async () => ({ query }) as unknown as Database }
}

async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  for (let n = 0; n < 10; n++) await nextTurn()
}

test('however many claims there are, one timer sweeps every ten minutes, as many batches as there are', async () => {
  const { statements, open } = databaseWith(500, 500, 3)
  const others = vi.getTimerCount()
  for (let n = 0; n < 1_000; n++) sweepNowAndThen(open)
  expect(vi.getTimerCount()).toBe(others + 1)
  await pass(10 * MINUTE_MS - 1)
  expect(statements).toHaveLength(0)
  await pass(1)
  expect(statements).toHaveLength(3)
  for (let n = 0; n < 1_000; n++) sweepNowAndThen(open)
  await pass(10 * MINUTE_MS)
  expect(statements).toHaveLength(4)
})

test('the last replies are swept although no further claim comes; then the timer rests', async () => {
  const { statements, open } = databaseWith()
  sweepNowAndThen(open)
  for (let n = 0; n < 26 * 6; n++) await pass(10 * MINUTE_MS)
  const swept = statements.length
  expect(swept).toBeGreaterThan(24 * 6)
  // Timers are not counted here: by now the libraries of this process may have some of their own.
  for (let n = 0; n < 24 * 6; n++) await pass(10 * MINUTE_MS)
  expect(statements).toHaveLength(swept)
  sweepNowAndThen(open)
  await pass(10 * MINUTE_MS)
  expect(statements).toHaveLength(swept + 1)
})

test('a sweep that fails is tried again', async () => {
  const { statements, open } = databaseWith(new Error('away'))
  sweepNowAndThen(open)
  await pass(10 * MINUTE_MS)
  await pass(10 * MINUTE_MS)
  expect(statements).toHaveLength(2)
})
