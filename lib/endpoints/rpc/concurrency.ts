import 'server-only'
import { limitReached } from '@/lib/endpoints/rpc/daily-credits'
import { perProcess } from '@/lib/kernel/per-process'
import { Semaphore } from '@/lib/kernel/semaphore'
import { limits } from '@/lib/services/limits/limits'

const PATIENCE_MS = 500
const MAX_WAITING = 50
const RETRY_AFTER_SECONDS = 1

/**
 * Waits for the account's turn, first come first served, and returns the function that ends it. Turns are per process.
 *
 * @throws ApiError RATE_LIMIT_EXCEEDED after half a second, or when too many wait already; the signal's reason when
 * aborted.
 */
export function enterAlone(accountId: string, signal: AbortSignal): Promise<() => void> {
  const places = limits().cryptoRpc.concurrencyPerUser
  return places === 0 ? free(signal) : takeTurn(accountId, places, signal)
}

async function free(signal: AbortSignal): Promise<() => void> {
  signal.throwIfAborted()
  return nothing
}

const nothing = () => undefined

async function takeTurn(accountId: string, places: number, signal: AbortSignal): Promise<() => void> {
  const all = turns()
  const own = all.get(accountId) ?? new Semaphore(places, { max: MAX_WAITING, full: () => busy(places) })
  all.set(accountId, own)
  const forget = () => {
    if (own.active === 0 && own.queued === 0 && all.get(accountId) === own) all.delete(accountId)
  }
  try {
    const leave = own.active < places ? await own.acquire(signal) : await enterInTime(own, places, signal)
    return () => {
      leave()
      forget()
    }
  } catch (error) {
    forget()
    throw error
  }
}

async function enterInTime(own: Semaphore, places: number, signal: AbortSignal): Promise<() => void> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(busy(places)), PATIENCE_MS)
  try {
    return await own.acquire(AbortSignal.any([signal, deadline.signal]))
  } finally {
    clearTimeout(timer)
  }
}

const busy = (places: number) =>
  limitReached(
    'Another request of this account is still running. Wait for it to finish, or send several calls as one batch.',
    `Concurrency cap: ${places === 1 ? 'one JSON-RPC request' : `${places} JSON-RPC requests`} at a time per account. Try again when the current request has finished.`,
    RETRY_AFTER_SECONDS,
  )

const turns = (): Map<string, Semaphore> => perProcess('rpc-turns', () => new Map())
