import 'server-only'
import { type Listed, SwapRemoveList } from '@/lib/kernel/swap-remove-list'

/** A moment by which something must have happened. `at` may be moved at any time; `Infinity` rests it. */
export type Deadline = Listed & {
  /** In the time of `performance.now()`, milliseconds. */
  at: number
  expire: () => void
}

/** How late a deadline may fire. */
const TICK_MS = 20

const watched = new SwapRemoveList<Deadline>()
let timer: NodeJS.Timeout | undefined

/**
 * Watches a deadline until `unwatch`. One timer serves all of them: moving a deadline is writing a number, so that a
 * stream of a thousand events does not set a thousand timers.
 */
export function watch(deadline: Deadline): void {
  watched.add(deadline)
  timer ??= setInterval(expireDue, TICK_MS).unref()
}

/** The timer is left to find out by itself that nobody needs it: one request after another would set one each. */
export function unwatch(deadline: Deadline): void {
  watched.delete(deadline)
}

function expireDue(): void {
  if (watched.size === 0) {
    clearInterval(timer)
    timer = undefined
    return
  }
  const now = performance.now()
  for (const deadline of watched) {
    if (deadline.at > now) continue
    deadline.at = Number.POSITIVE_INFINITY
    deadline.expire()
  }
}
