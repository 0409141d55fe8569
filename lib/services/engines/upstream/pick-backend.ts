import 'server-only'
import { type Circuit, isClosed, newCircuit, recordTry } from '@/lib/kernel/circuit-breaker'

const OVERLOAD_FACTOR = 2
const OVERLOAD_MARGIN = 8

export type Backend = Circuit & {
  readonly url: string
  inFlight: number
}

export const newBackend = (url: string): Backend => ({ ...newCircuit(), url, inFlight: 0 })

/**
 * Chooses the base URL that a cache key prefers, so that it finds its prefix there, else the one with the least in
 * flight. One that failed several times rests; after its rest a single request tries it. When all rest, all count: a
 * request that may fail is better than one that must.
 *
 * @param tried passed over as long as there is another.
 */
export function pickBackend<B extends Backend>(
  backends: readonly B[],
  options: { cacheKey?: string; tried: ReadonlySet<Backend>; now: number },
): B {
  const untried = backends.filter((backend) => !options.tried.has(backend))
  const candidates = untried.length > 0 ? untried : backends
  const healthy = candidates.filter((backend) => isClosed(backend, options.now))
  const usable = healthy.length > 0 ? healthy : candidates
  const leastBusy = usable.reduce((best, backend) => (backend.inFlight < best.inFlight ? backend : best))
  if (options.cacheKey === undefined || usable.length === 1) return leastBusy
  const limit = leastBusy.inFlight * OVERLOAD_FACTOR + OVERLOAD_MARGIN
  let preferred = leastBusy
  let best = -1
  for (const backend of usable) {
    const score = hash(`${options.cacheKey}\n${backend.url}`)
    if (score > best && backend.inFlight <= limit) {
      best = score
      preferred = backend
    }
  }
  return preferred
}

/** Counts a request. `recordOutcome` and `recordEnd` must follow. */
export function recordStart(backend: Backend): void {
  backend.inFlight++
  recordTry(backend)
}

export function recordEnd(backend: Backend): void {
  backend.inFlight--
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
