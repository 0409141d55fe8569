import 'server-only'
import type { ApiError } from '@/lib/contract/errors'
import { type Usd, ZERO } from '@/lib/contract/money'
import { config } from '@/lib/kernel/config'
import { perProcess } from '@/lib/kernel/per-process'
import { type LocalWindows, memoryWindows, windowEnd, windowIsFull } from '@/lib/services/limits/limits'

/**
 * Bounds what fresh key pairs cost an hour: wallets are free and their accounts stay; the welcome credit of a live
 * service is the house's money.
 */
const MAX_ACCOUNTS_PER_ADDRESS = 1_000
const MAX_WELCOMES_PER_ADDRESS = 200
const MAX_WELCOMES = 1_000
const WINDOW_MS = 3_600_000

type NewWallet = { isAllowed: boolean; welcome: Usd }

export function newWalletTerms(clientAddress: string | undefined): NewWallet {
  const { welcomeCredit } = config()
  if (clientAddress === undefined) return { isAllowed: true, welcome: welcomeCredit }
  const endsAtMs = windowEnd(Date.now(), WINDOW_MS)
  const isBelow = (key: string, limit: number) => newWalletWindows().spent(key, limit, endsAtMs) < limit
  const isWelcome =
    isBelow(`welcomes of ${clientAddress}`, MAX_WELCOMES_PER_ADDRESS) && isBelow('welcomes', MAX_WELCOMES)
  return {
    isAllowed: isBelow(`accounts of ${clientAddress}`, MAX_ACCOUNTS_PER_ADDRESS),
    welcome: isWelcome ? welcomeCredit : ZERO,
  }
}

export function countNewWallet(clientAddress: string, welcome: Usd): void {
  const endsAtMs = windowEnd(Date.now(), WINDOW_MS)
  const count = (key: string, limit: number) => newWalletWindows().spend(key, 1, limit, endsAtMs)
  count(`accounts of ${clientAddress}`, MAX_ACCOUNTS_PER_ADDRESS)
  if (welcome === 0n) return
  count(`welcomes of ${clientAddress}`, MAX_WELCOMES_PER_ADDRESS)
  count('welcomes', MAX_WELCOMES)
}

export function tooManyNewWallets(): ApiError {
  const nowMs = Date.now()
  const message = 'Too many new wallets from this address in this hour. Wallets that were here before may sign in.'
  return windowIsFull(message, windowEnd(nowMs, WINDOW_MS), nowMs)
}

const newWalletWindows = (): LocalWindows => perProcess('new-wallets', () => memoryWindows())
