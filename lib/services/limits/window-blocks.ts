import 'server-only'
import { Expiring } from '@/lib/kernel/expiring-maps'
import { log } from '@/lib/kernel/log'
import type { SharedCounter } from '@/lib/services/limits/shared-store'

/**
 * Answers without waiting wherever the number is local, so that a request in one process never leaves its turn of the
 * event loop for a limit.
 */
export interface WindowStore {
  take(key: string, limit: number, endsAtMs: number): LimitResult | Promise<LimitResult>
  spent(key: string, limit: number, endsAtMs: number): number | Promise<number>
  /** Counts what is known only afterwards: it may pass the limit. */
  spend(key: string, amount: number, limit: number, endsAtMs: number): void
}

export type LimitResult = { isAllowed: boolean; left: number }

/** A process takes this share of what is left at a time: large while there is plenty, single requests near the end. */
const BLOCKS = 16
const COMPLAIN_EVERY_MS = 60_000

type Window = {
  endsAtMs: number
  granted: number
  total: number
  hasAsked: boolean
  unsent: number
  waiting: number
  underWay?: Promise<void>
}

/**
 * Windows shared by several processes at one round trip a block: a process takes a few requests at a time out of the
 * shared count and hands them out by itself, and tells what it spent when that is worth telling. When the shared count
 * cannot be reached, each process counts by itself: a limit that is too generous for a while is better than no service.
 */
export function inBlocks(counter: SharedCounter, now: () => number = Date.now): WindowStore {
  const open = new Expiring<Window>(now)
  let complainAt = 0
  const windowOf = (key: string, endsAtMs: number) =>
    open.ending(key, endsAtMs, () => ({ endsAtMs, granted: 0, total: 0, hasAsked: false, unsent: 0, waiting: 0 }))

  return {
    take(key, limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      return takeGranted(window, limit) ?? takeWhenRefilled(key, window, limit)
    },
    spent(key, _limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      if (window.hasAsked) return window.total + window.unsent
      return tell(key, window).then(() => window.total + window.unsent)
    },
    spend(key, amount, limit, endsAtMs) {
      const window = windowOf(key, endsAtMs)
      window.unsent += amount
      if (window.unsent * BLOCKS >= limit) void tell(key, window)
    },
  }

  async function takeWhenRefilled(key: string, window: Window, limit: number) {
    window.waiting++
    try {
      for (;;) {
        window.underWay ??= refill(key, window, limit)
        await window.underWay
        // Each refill brings at least one request or the end of the window's budget, so this ends.
        const granted = takeGranted(window, limit)
        if (granted) return granted
      }
    } finally {
      window.waiting--
    }
  }

  async function refill(key: string, window: Window, limit: number): Promise<void> {
    const size = Math.min(Math.max(Math.ceil((limit - window.total) / BLOCKS), window.waiting, 1), limit)
    const total = await add(key, window, size)
    // Whoever passes the limit gets only what fitted below it.
    window.granted += Math.max(0, size - Math.max(0, total - limit))
  }

  function tell(key: string, window: Window): Promise<void> {
    window.underWay ??= (async () => {
      const amount = window.unsent
      window.unsent = 0
      await add(key, window, amount)
    })()
    return window.underWay
  }

  async function add(key: string, window: Window, amount: number): Promise<number> {
    try {
      window.total = await counter.add(`${key}:${window.endsAtMs / 1000}`, amount, window.endsAtMs)
    } catch (error) {
      window.total += amount
      complain(error)
    } finally {
      window.hasAsked = true
      window.underWay = undefined
    }
    return window.total
  }

  function complain(error: unknown): void {
    if (now() < complainAt) return
    complainAt = now() + COMPLAIN_EVERY_MS
    log().warn({ err: error }, 'shared rate limits are unreachable; each process counts alone')
  }
}

function takeGranted(window: Window, limit: number) {
  if (window.granted > 0) {
    window.granted--
    return { isAllowed: true, left: Math.max(0, limit - window.total) + window.granted }
  }
  return window.hasAsked && window.total >= limit ? { isAllowed: false, left: 0 } : undefined
}
