import { onTestFinished, vi } from 'vitest'
import { PATIENCE_MS } from '@/lib/kernel/testing/patience'

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: PATIENCE_MS })

/** Stops the date, not the timers, until the test ends: what is counted by the minute stays within one. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}
