import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createIdleTimeout, TIMED_OUT } from '@/lib/kernel/deadlines'

const never = new Promise<string>(() => {})

test('a value that comes in time is passed on, and so is its failure', async () => {
  const patience = createIdleTimeout(1_000, { isRenewed: true })
  expect(await patience.race(Promise.resolve('now'))).toBe('now')
  await expect(patience.race(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  patience.end()
})

test('a renewed patience gives every wait the whole time, also after silence', async () => {
  const patience = createIdleTimeout(30, { isRenewed: true })
  expect(await patience.race(never)).toBe(TIMED_OUT)
  expect(await patience.race(sleep(10, 'soon'))).toBe('soon')
  expect(await patience.race(never)).toBe(TIMED_OUT)
  patience.end()
})

test('a shared patience ends once for all waits', async () => {
  const patience = createIdleTimeout(40, { isRenewed: false })
  expect(await patience.race(sleep(10, 'first'))).toBe('first')
  expect(await patience.race(never)).toBe(TIMED_OUT)
  expect(await patience.race(never)).toBe(TIMED_OUT)
  patience.end()
})
