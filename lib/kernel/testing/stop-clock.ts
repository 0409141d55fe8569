import { onTestFinished, vi } from 'vitest'

/** Stops the date, not the timers, until the test ends: what is counted by the minute stays within one. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
}
