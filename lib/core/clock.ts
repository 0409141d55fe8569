/** Where the time comes from. Tests pass their own. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** The next 00:00 UTC after `nowMs`: when daily credits and daily limits start anew. Unix milliseconds. */
export function nextUtcMidnight(nowMs: number): number {
  const dayMs = 86_400_000
  return (Math.floor(nowMs / dayMs) + 1) * dayMs
}
