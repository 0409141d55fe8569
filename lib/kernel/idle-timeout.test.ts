import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPatience, SILENT } from '@/lib/kernel/idle-timeout'

const never = new Promise<string>(() => {})

test('a value that comes in time is passed on, and so is its failure', async () => {
  const patience = createPatience(1_000, { isRenewed: true })
  expect(await patience.wait(Promise.resolve('now'))).toBe('now')
  await expect(patience.wait(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  patience.end()
})

test('a renewed patience gives every wait the whole time, also after silence', async () => {
  const patience = createPatience(30, { isRenewed: true })
  expect(await patience.wait(never)).toBe(SILENT)
  expect(await patience.wait(sleep(10, 'soon'))).toBe('soon')
  expect(await patience.wait(never)).toBe(SILENT)
  patience.end()
})

test('a shared patience ends once for all waits', async () => {
  const patience = createPatience(40, { isRenewed: false })
  expect(await patience.wait(sleep(10, 'first'))).toBe('first')
  expect(await patience.wait(never)).toBe(SILENT)
  expect(await patience.wait(never)).toBe(SILENT)
  patience.end()
})
