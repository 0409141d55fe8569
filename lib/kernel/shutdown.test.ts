import { afterEach, expect, test } from 'vitest'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { type Running, shutdown } from '@/lib/kernel/shutdown'

afterEach(() => resetPerProcess('shutdown'))

test('tells what is under way that it must end, once, and not what has ended', () => {
  const told: string[] = []
  const [running, done] = ['running', 'done'].map((name) => ({ end: () => void told.push(name) })) as [Running, Running]
  shutdown().running.add(running)
  shutdown().running.add(done)
  shutdown().running.delete(done)
  shutdown().stop()
  shutdown().stop()
  expect(told).toEqual(['running'])
  expect(shutdown().signal.aborted).toBe(true)
})
