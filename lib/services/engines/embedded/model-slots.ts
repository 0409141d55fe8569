import 'server-only'
import { Semaphore } from '@/lib/kernel/semaphore'
import { EngineError } from '@/lib/services/engines/engine'

/** What a caller is told when the queue is full: about one short answer. */
const RETRY_AFTER_SECONDS = 5

/** The places of a model. Waiting for one ends with EngineError `at-capacity`, at once, when the queue is full. */
export function modelSlots(size: number, maxQueued: number): Semaphore {
  const message = 'This model is busy with other requests. Try again in a few seconds.'
  const full = () => new EngineError('at-capacity', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  return new Semaphore(size, { max: maxQueued, full })
}
