import 'server-only'

const FAILURES_TO_OPEN = 3
const FIRST_REST_MS = 1_000
const MAX_PAUSE_MS = 60_000

export type Circuit = {
  failures: number
  openUntil: number
  isProbing: boolean
}

export const newCircuit = (): Circuit => ({ failures: 0, openUntil: 0, isProbing: false })

export function isClosed(circuit: Circuit, now: number): boolean {
  return circuit.failures < FAILURES_TO_OPEN || (now >= circuit.openUntil && !circuit.isProbing)
}

export function recordTry(circuit: Circuit): void {
  if (circuit.failures >= FAILURES_TO_OPEN) circuit.isProbing = true
}

/** Records the outcome. `unknown`: the caller left, or the request was at fault (400). */
export function recordOutcome(circuit: Circuit, outcome: 'answered' | 'failed' | 'unknown', now: number): void {
  circuit.isProbing = false
  if (outcome === 'answered') circuit.failures = 0
  if (outcome !== 'failed') return
  // Of a hundred that fail in one moment, those after the first few say nothing new: the rest has begun.
  if (circuit.failures >= FAILURES_TO_OPEN && now < circuit.openUntil) return
  circuit.failures++
  const rests = Math.max(0, circuit.failures - FAILURES_TO_OPEN)
  const restMs = Math.min(FIRST_REST_MS * 2 ** Math.min(rests, 10), MAX_PAUSE_MS)
  // Jitter, so that several processes do not come back at once.
  circuit.openUntil = now + restMs * (0.75 + Math.random() / 2)
}

export function recordRateLimited(circuit: Circuit, now: number): void {
  circuit.failures = FAILURES_TO_OPEN - 1
  recordOutcome(circuit, 'failed', now)
}
