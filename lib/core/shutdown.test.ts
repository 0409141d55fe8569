import { afterEach, expect, test } from 'vitest'
import { resetPerProcess } from '@/lib/core/per-process'
import { shutdown } from '@/lib/core/shutdown'

afterEach(() => resetPerProcess('shutdown'))

test('tells what is under way that it must end, once, and not what has ended', () => {
  const told: string[] = []
  const [running, done] = [() => void told.push('running'), () => void told.push('done')]
  shutdown().running.add(running).add(done)
  shutdown().running.delete(done)
  shutdown().stop()
  shutdown().stop()
  expect(told).toEqual(['running'])
  expect(shutdown().signal.aborted).toBe(true)
})
