import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuid } from '@/lib/contract/ids'
import { perProcess } from '@/lib/kernel/per-process'
import type { LeaseStore } from '@/lib/services/limits/concurrency-shared'
import { leasesInPostgres, leasesInRedis } from '@/lib/services/limits/concurrency-shared'
import { redis } from '@/lib/services/limits/redis'
import { askShared, createBatches } from '@/lib/services/limits/shared-batches'
import { limitStore } from '@/lib/services/limits/windows'

/** Unused places go back this often; who finds none free waits that long once. */
const TICK_MS = 250
/** Leases are renewed this often, long before they end. */
const RENEW_MS = 5_000

export type Concurrency = {
  /** Takes a place if fewer than `limit` are taken. At once, except where the first place must be leased. */
  take(name: string, limit: number): boolean | Promise<boolean>
  leave(name: string): void
  /** Gives every leased place back. */
  close(): Promise<void>
}

type Entry = {
  limit: number
  used: number
  /** Held of the shared places, used or not. */
  leased: number
  /** The most that were used since the last tick. */
  peak: number
  waiting: number
  renewAt: number
  /** Others held all places a moment ago. */
  fullUntil: number
}

/** Requests under way in this process, and with `store` in all processes together. */
export function createConcurrency(store?: LeaseStore, processId: string = uuid()): Concurrency {
  /** Holds only who has something under way, so the server's bound on connections bounds it. */
  const entries = new Map<string, Entry>()
  const exchange = createBatches(send)
  let timer: NodeJS.Timeout | undefined

  return { take, leave, close }

  function take(name: string, limit: number): boolean | Promise<boolean> {
    const entry = entryOf(name, limit)
    if (entry.used >= limit) return false
    if (store === undefined || entry.used < entry.leased) return seat(entry)
    if (performance.now() < entry.fullUntil) return false
    return takeLeased(name, entry)
  }

  function leave(name: string): void {
    const entry = entries.get(name)
    if (!entry) return
    entry.used--
    if (store === undefined && entry.used === 0) entries.delete(name)
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    timer = undefined
    if (store === undefined || entries.size === 0) return
    const leases = [...entries].map(([name, { limit }]) => ({ name, places: 0, limit }))
    entries.clear()
    await askShared(() => store.lease(processId, leases))
  }

  function entryOf(name: string, limit: number): Entry {
    let entry = entries.get(name)
    if (entry === undefined) {
      entry = { limit, used: 0, leased: 0, peak: 0, waiting: 0, renewAt: 0, fullUntil: 0 }
      entries.set(name, entry)
      if (store) timer ??= setInterval(tick, TICK_MS).unref()
    }
    entry.limit = limit
    return entry
  }

  function seat(entry: Entry): true {
    entry.used++
    if (entry.used > entry.peak) entry.peak = entry.used
    return true
  }

  async function takeLeased(name: string, entry: Entry): Promise<boolean> {
    entry.waiting++
    try {
      await exchange(name)
      if (entry.used < entry.leased) return seat(entry)
      // Others may hold places that they do not use, and give them back once a tick.
      await sleep(TICK_MS * 1.5)
      if (entry.used >= entry.leased && performance.now() >= entry.fullUntil) await exchange(name)
      if (entry.used < entry.leased) return seat(entry)
      entry.fullUntil = performance.now() + TICK_MS
      return false
    } finally {
      entry.waiting--
    }
  }

  /** Gives back what was not used since the last tick, and renews what is held. */
  function tick(): void {
    const now = performance.now()
    for (const [name, entry] of entries) {
      const { used, peak, leased, waiting, renewAt } = entry
      entry.peak = used
      if (leased === 0 && used === 0 && waiting === 0) entries.delete(name)
      else if (leased > peak || now >= renewAt) {
        entry.leased = Math.min(leased, Math.max(peak, used))
        void exchange(name)
      }
    }
    if (entries.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  async function send(names: string[]): Promise<void> {
    const asked = names.flatMap((name) => {
      const entry = entries.get(name)
      return entry ? [{ name, entry, places: wanted(entry), limit: entry.limit }] : []
    })
    const granted = await askShared(() =>
      store!.lease(
        processId,
        asked.map(({ name, places, limit }) => ({ name, places, limit })),
      ),
    )
    const renewAt = performance.now() + RENEW_MS
    for (const { name, entry, places } of asked) {
      entry.leased = granted?.get(name) ?? places
      entry.renewAt = renewAt
    }
  }
}

/** What is used and asked for. Who has much under way holds a little more, so that few of its requests ask. */
function wanted({ used, waiting, leased, limit }: Entry): number {
  if (waiting === 0) return leased
  return Math.min(limit, used + Math.max(waiting, Math.floor(used / 4)))
}

/** The requests under way of this installation. */
export function concurrency(): Concurrency {
  return perProcess('concurrency', () => {
    const store = limitStore()
    if (store === 'memory') return createConcurrency()
    return createConcurrency(store === 'redis' ? leasesInRedis(redis()) : leasesInPostgres())
  })
}
