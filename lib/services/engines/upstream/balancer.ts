import 'server-only'
import { type Circuit, isClosed, newCircuit, recordTry } from '@/lib/kernel/circuit-breaker'

/** The preferred base URL of a cache key is passed over when it has so many times the least load, and so many more. */
const OVERLOAD_FACTOR = 2
const OVERLOAD_MARGIN = 8

/** One base URL with its load and health. */
export type Backend = Circuit & {
  readonly url: string
  inFlight: number
}

export const newBackend = (url: string): Backend => ({ ...newCircuit(), url, inFlight: 0 })

/**
 * Chooses a base URL: the one that a cache key prefers, so that it finds its prefix there, else the one with the least
 * in flight. One that failed several times rests; after its rest a single request tries it. When all rest, all count:
 * a request that may fail is better than one that must.
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
  const least = usable.reduce((best, backend) => (backend.inFlight < best.inFlight ? backend : best))
  if (options.cacheKey === undefined || usable.length === 1) return least
  const limit = least.inFlight * OVERLOAD_FACTOR + OVERLOAD_MARGIN
  let preferred = least
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

/** A request starts there. `recordOutcome` and `recordEnd` must follow. */
export function recordStart(backend: Backend): void {
  backend.inFlight++
  recordTry(backend)
}

export function recordEnd(backend: Backend): void {
  backend.inFlight--
}

/** FNV-1a with a final mix: equal keys and URLs give equal scores in every process. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
