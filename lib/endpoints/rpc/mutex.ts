import 'server-only'
import { limitReached } from '@/lib/endpoints/rpc/refusal'
import { perProcess } from '@/lib/kernel/per-process'
import { Slots } from '@/lib/kernel/semaphore'
import { limits } from '@/lib/services/limits/limits'

/** How long a request waits for its turn. Source: API contract, crypto-rpc.md "Limits". */
const PATIENCE_MS = 500
/** Requests of one account that wait at a time. */
const MAX_WAITING = 50
const RETRY_AFTER_SECONDS = 1

/**
 * Waits for the account's turn, first come first served, and returns the function that ends it; calling that again does
 * nothing. Turns are those of this process: of several processes each lets an account's requests through.
 *
 * @throws ApiError RATE_LIMIT_EXCEEDED when the turn does not come in half a second, or too many wait already; the
 *   signal's reason when aborted.
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
  const own = all.get(accountId) ?? new Slots(places, { max: MAX_WAITING, full: () => busy(places) })
  all.set(accountId, own)
  const forget = () => {
    if (own.active === 0 && own.queued === 0 && all.get(accountId) === own) all.delete(accountId)
  }
  try {
    const leave = own.active < places ? await own.enter(signal) : await enterInTime(own, places, signal)
    return () => {
      leave()
      forget()
    }
  } catch (error) {
    forget()
    throw error
  }
}

/** Only who must wait pays for a timer. */
async function enterInTime(own: Slots, places: number, signal: AbortSignal): Promise<() => void> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(busy(places)), PATIENCE_MS)
  try {
    return await own.enter(AbortSignal.any([signal, patience.signal]))
  } finally {
    clearTimeout(timer)
  }
}

const busy = (places: number) =>
  limitReached(
    'Another request of this account is still under way. Try again when it has ended, or send several calls as one batch.',
    `Concurrency cap: ${places === 1 ? 'one JSON-RPC request' : `${places} JSON-RPC requests`} at a time per account. It eases as soon as the one under way has its answer.`,
    RETRY_AFTER_SECONDS,
  )

/** Holds only accounts with a request under way. */
const turns = (): Map<string, Slots> => perProcess('rpc-turns', () => new Map())
