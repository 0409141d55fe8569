import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type ErrorCode } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { perProcess } from '@/lib/kernel/per-process'
import { type Caller, keyIdOf, type RequestContext } from '@/lib/kernel/request-context'
import { Semaphore } from '@/lib/kernel/semaphore'
import { limits } from '@/lib/services/limits/limits-file'
import { leasesInPostgres } from '@/lib/services/limits/postgres'
import { leasesInRedis, redis } from '@/lib/services/limits/redis'
import { askShared, createBatches, type LeaseStore, limitStore } from '@/lib/services/limits/shared-store'

const RETRY_AFTER_SECONDS = 2

/**
 * Takes a place among the requests that a caller may have under way, counted per key, wallet or session's account, and
 * per address. The answer gives the place back; calling it again does nothing.
 *
 * @throws ApiError RATE_LIMIT_EXCEEDED, for a wallet X402_CONCURRENCY_LIMIT. Source: API contract, README 7.3 and 8.
 */
export async function enter(context: RequestContext, caller: Caller): Promise<() => void> {
  const { perKey, perWallet, perIp } = limits().concurrency
  const keyId = keyIdOf(caller)
  const isWallet = caller.kind === 'wallet' && keyId === undefined
  const own = keyId === undefined ? `account:${caller.accountId}` : `key:${keyId}`
  const address = `address:${context.clientAddress}`
  const ownLimit = isWallet ? perWallet : perKey

  const [hasOwn, hasAddress] = await Promise.all([takePlace(own, ownLimit), takePlace(address, perIp)])
  const leave = leaveOnce([...(hasOwn && ownLimit > 0 ? [own] : []), ...(hasAddress && perIp > 0 ? [address] : [])])
  if (hasOwn && hasAddress) return leave
  leave()
  if (hasOwn) {
    context.facts.rateLimitType = 'user'
    throw tooManyUnderWay('RATE_LIMIT_EXCEEDED', perIp)
  }
  context.facts.rateLimitType = keyId === undefined ? 'user' : 'api_key'
  throw tooManyUnderWay(isWallet ? 'X402_CONCURRENCY_LIMIT' : 'RATE_LIMIT_EXCEEDED', ownLimit)
}

const takePlace = (name: string, limit: number) => limit === 0 || sharedPlaces().take(name, limit)

function leaveOnce(names: string[]): () => void {
  let isReleased = false
  return () => {
    if (isReleased) return
    isReleased = true
    for (const name of names) sharedPlaces().leave(name)
  }
}

const tooManyUnderWay = (code: ErrorCode, bound: number): ApiError =>
  new ApiError(code, `${bound} requests are already running. Wait for one to finish.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

export function sharedPlaces(): SharedPlaces {
  return perProcess('concurrency', () => {
    const store = limitStore()
    if (store === 'memory') return createSharedPlaces()
    return createSharedPlaces(store === 'redis' ? leasesInRedis(redis()) : leasesInPostgres())
  })
}

const TICK_MS = 250
const RENEW_MS = 5_000
const MAX_ASKED = 10

type SharedPlaces = ReturnType<typeof createSharedPlaces>

type Entry = {
  limit: number
  used: number
  leased: number
  peak: number
  waiting: number
  renewAt: number
  fullUntil: number
  /** Others have what was asked for last. */
  isShort: boolean
}

export function createSharedPlaces(store?: LeaseStore, processId: string = uuid()) {
  /** Holds only callers with requests under way, so the server's bound on connections bounds it. */
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
      entry = { limit, used: 0, leased: 0, peak: 0, waiting: 0, renewAt: 0, fullUntil: 0, isShort: false }
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
      // What was granted may be taken by who came meanwhile: only what others have is a refusal.
      let asked = 0
      do await exchange(name)
      while (entry.used >= entry.leased && !entry.isShort && ++asked < MAX_ASKED)
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
      entry.isShort = entry.leased < places
      entry.renewAt = renewAt
    }
  }
}

function wanted({ used, waiting, leased, limit }: Entry): number {
  if (waiting === 0) return leased
  return Math.min(limit, used + Math.max(waiting, Math.floor(used / 4)))
}

const TURN_PATIENCE_MS = 500
const MAX_WAITING_TURNS = 50

/**
 * Waits for a turn of this name, first come first served, and returns the function that ends it. Turns are per process;
 * 0 places are any number.
 *
 * @throws the refusal after half a second, or when too many wait already; the signal's reason when aborted.
 */
export async function takeTurn(
  name: string,
  places: number,
  signal: AbortSignal,
  refusal: () => Error,
): Promise<() => void> {
  if (places === 0) {
    signal.throwIfAborted()
    return nothing
  }
  const all = turns()
  const own = all.get(name) ?? new Semaphore(places, { max: MAX_WAITING_TURNS, full: refusal })
  all.set(name, own)
  const forget = () => {
    if (own.active === 0 && own.queued === 0 && all.get(name) === own) all.delete(name)
  }
  try {
    const leave = own.active < places ? await own.acquire(signal) : await acquireInTime(own, signal, refusal)
    return () => {
      leave()
      forget()
    }
  } catch (error) {
    forget()
    throw error
  }
}

const nothing = () => undefined

async function acquireInTime(own: Semaphore, signal: AbortSignal, refusal: () => Error): Promise<() => void> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(refusal()), TURN_PATIENCE_MS)
  try {
    return await own.acquire(AbortSignal.any([signal, deadline.signal]))
  } finally {
    clearTimeout(timer)
  }
}

const turns = (): Map<string, Semaphore> => perProcess('turns', () => new Map())
