import 'server-only'
import { type Listed, SwapRemoveList } from '@/lib/kernel/swap-remove-list'

/** A point in time that may be moved while it is watched; `Infinity` suspends it. */
export type Deadline = Listed & {
  at: number
  expire: () => void
}

/** Deadline of a reply that is sent whole. Source: API contract, README 15. */
export const WHOLE_REPLY_DEADLINE_MS = 120_000

const TICK_MS = 20

const watched = new SwapRemoveList<Deadline>()
let timer: NodeJS.Timeout | undefined

/**
 * Watches a deadline until `unwatch`. One timer serves all, so that moving a deadline is one assignment: a stream of a
 * thousand events sets no thousand timers.
 */
export function watch(deadline: Deadline): void {
  watched.add(deadline)
  timer ??= setInterval(expireDue, TICK_MS).unref()
}

/** Stops watching. The timer stops by itself later: clearing it here would set one for each request. */
export function unwatch(deadline: Deadline): void {
  watched.delete(deadline)
}

/** Makes a new timer with the next deadline: for tests, where a fake clock that is gone may have made this one. */
export function dropTimer(): void {
  clearInterval(timer)
  timer = undefined
}

function expireDue(): void {
  if (watched.size === 0) {
    dropTimer()
    return
  }
  const now = performance.now()
  for (const deadline of watched) {
    if (deadline.at > now) continue
    deadline.at = Number.POSITIVE_INFINITY
    deadline.expire()
  }
}

export const TIMED_OUT = Symbol('silent')

export type IdleTimeout = {
  race<T>(value: Promise<T>): Promise<T | typeof TIMED_OUT>
  end(): void
}

/**
 * Races promises, one after another, against a single timer, which is cheaper than a timer for each. With `isRenewed`
 * every race has the whole time; otherwise all share it.
 */
export function createIdleTimeout(ms: number, options: { isRenewed: boolean }): IdleTimeout {
  let expire: (() => void) | undefined
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    expire?.()
  }, ms)
  return {
    race<T>(value: Promise<T>) {
      if (options.isRenewed) {
        isOver = false
        timer.refresh()
      }
      return new Promise<T | typeof TIMED_OUT>((resolve, reject) => {
        expire = () => resolve(TIMED_OUT)
        value.then(resolve, reject)
        if (isOver) expire()
      })
    },
    end: () => clearTimeout(timer),
  }
}

/** Waits for `work` that long; undefined when it does not end in time. It then goes on unheard. */
export function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, timeoutMs, undefined)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** @throws Error when `work` does not end in time; it then goes on unheard. */
export function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
