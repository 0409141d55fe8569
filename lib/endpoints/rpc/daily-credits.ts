import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { type CreditBook, createCreditBook } from '@/lib/endpoints/rpc/credits/credit-book'
import { hourOf, RollingDay } from '@/lib/endpoints/rpc/credits/rolling-day'
import { limitReached } from '@/lib/endpoints/rpc/refusal'
import { perProcess } from '@/lib/kernel/per-process'
import { limits } from '@/lib/services/limits/limits'

const OUTAGE_RETRY_SECONDS = 2
/** Told to who asks for more than the cap in one request: waiting does not help. */
const NEVER_RETRY_SECONDS = 86_400

/**
 * Whether the account's cap of any 24 hours, times its multiplier, leaves room for `credits`. Answers at once, except for
 * the first request of an account in a process. Hours count whole. What is under way counts when it ends, and what other
 * processes used is known two seconds later: an account may pass the cap by what it gets through in that time.
 *
 * @throws ApiError RATE_LIMIT_EXCEEDED; SERVICE_UNAVAILABLE when nobody knows what was used.
 */
export function assertDailyCredits(accountId: string, credits: number, multiplier = 1): Promise<void> | void {
  const cap = Math.floor(limits().cryptoRpc.creditsPerDay * multiplier)
  if (cap === 0) return
  const day = book().dayOf(accountId)
  if (day instanceof RollingDay) return assertRoom(day, credits, cap)
  return day.then((read) => assertRoom(read, credits, cap), unavailable)
}

/** Counts what a call cost in the end. Costs a map entry; it is written with all others, every two seconds. */
export function countCredits(accountId: string, credits: number): void {
  if (!Number.isSafeInteger(credits) || credits < 0) throw new RangeError(`${credits}: credits are counted whole`)
  if (credits === 0 || limits().cryptoRpc.creditsPerDay === 0) return
  book().count(accountId, credits)
}

/** Writes what was counted. For the server before it stops. Never rejects. */
export function flushCredits(): Promise<void> {
  return book().flush()
}

function assertRoom(day: RollingDay, credits: number, cap: number): void {
  const nowMs = Date.now()
  const hour = hourOf(nowMs)
  const used = day.total(hour)
  if (used + credits <= cap) return
  const easesAtMs = day.easesAtMs(hour, cap - credits)
  const eases =
    easesAtMs === undefined
      ? 'This request alone may need more: send a smaller batch.'
      : `There is room for it at ${new Date(easesAtMs).toISOString().slice(0, 16)}Z; smaller requests may fit earlier.`
  throw limitReached(
    'The account has used its JSON-RPC credits of 24 hours. Try again later, or ask the operator for more.',
    `Daily cap: ${plain(cap)} JSON-RPC credits in any 24 hours. ${plain(used)} are used, and this request may need ${plain(credits)}. ${eases}`,
    easesAtMs === undefined ? NEVER_RETRY_SECONDS : Math.max(1, Math.ceil((easesAtMs - nowMs) / 1_000)),
  )
}

function unavailable(cause: unknown): never {
  if (cause instanceof ApiError) throw cause
  const message = 'The day’s credits cannot be checked at the moment. Nothing was charged. Try again in a few seconds.'
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: OUTAGE_RETRY_SECONDS })
}

const plain = (count: number): string => count.toLocaleString('en-US')

const book = (): CreditBook => perProcess('rpc-credits', () => createCreditBook())
