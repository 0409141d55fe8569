import 'server-only'
import { perProcess } from '@/lib/kernel/per-process'

/** Who wants to hear of a new job at once: the workers of this process. Those of others look by themselves. */
const listeners = (): Set<() => void> => perProcess('job-wake', () => new Set())

export function wakeWorkers(): void {
  for (const wake of listeners()) wake()
}

/** @returns what ends it. */
export function onWake(wake: () => void): () => void {
  listeners().add(wake)
  return () => void listeners().delete(wake)
}
