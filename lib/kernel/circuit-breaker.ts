import 'server-only'

/** Failures in a row after which a server is left alone for a while. */
const FAILURES_TO_OPEN = 3
const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000

/** What is known of a server's health from how requests to it went. */
export type Circuit = {
  failures: number
  /** Left alone until then, in the time of `performance.now()`. */
  openUntil: number
  isProbing: boolean
}

export const newCircuit = (): Circuit => ({ failures: 0, openUntil: 0, isProbing: false })

/** Whether a request may go there: after its rest a single one tries it. */
export function isClosed(circuit: Circuit, now: number): boolean {
  return circuit.failures < FAILURES_TO_OPEN || (now >= circuit.openUntil && !circuit.isProbing)
}

/** A request starts there. `recordOutcome` must follow. */
export function recordTry(circuit: Circuit): void {
  if (circuit.failures >= FAILURES_TO_OPEN) circuit.isProbing = true
}

/** Says how it went: it answered, it failed by its own fault, or neither can be said (the caller left, a 400). */
export function recordOutcome(circuit: Circuit, outcome: 'answered' | 'failed' | 'unknown', now: number): void {
  circuit.isProbing = false
  if (outcome === 'answered') circuit.failures = 0
  if (outcome !== 'failed') return
  // Of a hundred that fail in one moment, those after the first few say nothing new: the rest has begun.
  if (circuit.failures >= FAILURES_TO_OPEN && now < circuit.openUntil) return
  circuit.failures++
  const rests = Math.max(0, circuit.failures - FAILURES_TO_OPEN)
  const restMs = Math.min(FIRST_REST_MS * 2 ** Math.min(rests, 10), LONGEST_REST_MS)
  // Jitter, so that several processes do not come back at once.
  circuit.openUntil = now + restMs * (0.75 + Math.random() / 2)
}

/** The server answered that it wants no more for now: it rests at once. */
export function recordRateLimited(circuit: Circuit, now: number): void {
  circuit.failures = FAILURES_TO_OPEN - 1
  recordOutcome(circuit, 'failed', now)
}
