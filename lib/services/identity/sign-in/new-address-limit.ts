import 'server-only'
import { ApiError } from '@/lib/contract/errors'
import { type Usd, ZERO } from '@/lib/contract/money'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { type LocalWindows, memoryWindows, secondsUntil, windowEnd } from '@/lib/services/limits/window-store'

/**
 * What a fresh key pair may cost us an hour. A wallet is had for nothing and its account stays, so an address makes so many;
 * and the welcome credit of a live service is the house's money, so it is given so often to one address, and to all.
 */
const MAX_ACCOUNTS_PER_ADDRESS = 1_000
const MAX_WELCOMES_PER_ADDRESS = 200
const MAX_WELCOMES = 1_000
const WINDOW_MS = 3_600_000

/** What a wallet gets that is seen for the first time: an account, if at all, and this welcome credit. */
export type Newcomer = { mayCome: boolean; welcome: Usd }

/** What a new wallet from this address would get now. Who was here before is not concerned. */
export function newcomerFrom(clientAddress: string | undefined): Newcomer {
  const { welcomeCredit } = config()
  if (clientAddress === undefined) return { mayCome: true, welcome: welcomeCredit }
  const endsAtMs = windowEnd(Date.now(), WINDOW_MS)
  const isBelow = (key: string, limit: number) => newcomers().spent(key, limit, endsAtMs) < limit
  const isWelcome =
    isBelow(`welcomes of ${clientAddress}`, MAX_WELCOMES_PER_ADDRESS) && isBelow('welcomes', MAX_WELCOMES)
  return {
    mayCome: isBelow(`accounts of ${clientAddress}`, MAX_ACCOUNTS_PER_ADDRESS),
    welcome: isWelcome ? welcomeCredit : ZERO,
  }
}

/** Counts a wallet that got its account now. */
export function countNewcomer(clientAddress: string, welcome: Usd): void {
  const endsAtMs = windowEnd(Date.now(), WINDOW_MS)
  const count = (key: string, limit: number) => newcomers().spend(key, 1, limit, endsAtMs)
  count(`accounts of ${clientAddress}`, MAX_ACCOUNTS_PER_ADDRESS)
  if (welcome === 0n) return
  count(`welcomes of ${clientAddress}`, MAX_WELCOMES_PER_ADDRESS)
  count('welcomes', MAX_WELCOMES)
}

/** The answer to a wallet that comes when its address has brought enough. Its proof is not used up. */
export function tooManyNewcomers(): ApiError {
  const nowMs = Date.now()
  const message = 'Too many new wallets from this address in this hour. Wallets that were here before may sign in.'
  const retryAfterSeconds = secondsUntil(windowEnd(nowMs, WINDOW_MS), nowMs)
  return new ApiError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds })
}

const newcomers = (): LocalWindows => perProcess('new-wallets', () => memoryWindows())
